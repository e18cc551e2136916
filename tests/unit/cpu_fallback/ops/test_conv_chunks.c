#include "cpu_fallback/ops/conv/conv_chunk_queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

enum { MOST_TASKS = 4, MOST_UNITS = 2000, WHOLE = MOST_UNITS };

static const struct hy_conv_chunk_queue by_pixels = {
    .tasks = 2, .is_by_pixels = true, .units = 30, .tiles = 10, .least = WHOLE};
static const struct hy_conv_chunk_queue in_order = {
    .tasks = 2, .units = 30, .tiles = 3, .least = WHOLE};
static const struct hy_conv_chunk_queue in_pieces = {
    .tasks = 2, .is_by_pixels = true, .units = 100, .tiles = 100, .least = 3};

static void expect_next(const struct hy_conv_chunk_queue *chunk_queue,
                        struct hy_conv_chunk_cursor *cursor, uint32_t task, size_t first,
                        size_t end)
{
    size_t from = 0, to = 0;

    EXPECT(hy_conv_chunk_queue_pop(chunk_queue, cursor, task, &from, &to));
    EXPECT_INT(from, first);
    EXPECT_INT(to, end);
}

static void expect_end(const struct hy_conv_chunk_queue *chunk_queue,
                       struct hy_conv_chunk_cursor *cursor, uint32_t task)
{
    size_t from, to;

    EXPECT(!hy_conv_chunk_queue_pop(chunk_queue, cursor, task, &from, &to));
}

/* So that the next operation, shared in the same way, reads what its thread has written. */
TEST(conv_turns, a_part_is_some_pixels_of_every_block)
{
    struct hy_conv_chunk_cursor cursor[2];

    hy_conv_chunk_queue_start(&by_pixels, cursor);
    for (size_t block = 0; block < 30; block += 10) {
        expect_next(&by_pixels, cursor, 0, block, block + 5);
        expect_next(&by_pixels, cursor, 1, block + 5, block + 10);
    }
    expect_end(&by_pixels, cursor, 0);
    expect_end(&by_pixels, cursor, 1);
}

TEST(conv_turns, a_part_is_some_of_the_weights_where_it_is_not_pixels)
{
    struct hy_conv_chunk_cursor cursor[2];

    hy_conv_chunk_queue_start(&in_order, cursor);
    expect_next(&in_order, cursor, 1, 15, 30);
    expect_next(&in_order, cursor, 0, 0, 15);
    expect_end(&in_order, cursor, 0);
    expect_end(&in_order, cursor, 1);
}

/* A quarter of what is left, and at last what is just worth it. */
TEST(conv_turns, pieces_get_smaller)
{
    static const size_t ends[] = {13, 23, 30, 35, 39, 42, 45, 48, 50};
    struct hy_conv_chunk_cursor cursor[2];
    size_t from = 0;

    hy_conv_chunk_queue_start(&in_pieces, cursor);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        expect_next(&in_pieces, cursor, 0, from, ends[i]);
        from = ends[i];
    }
}

TEST(conv_turns, who_is_done_takes_pieces_of_what_the_others_have_left)
{
    struct hy_conv_chunk_cursor cursor[2];
    size_t first = 0, end = 0;

    hy_conv_chunk_queue_start(&in_pieces, cursor);
    expect_next(&in_pieces, cursor, 1, 50, 63);
    while (end < 50)
        EXPECT(hy_conv_chunk_queue_pop(&in_pieces, cursor, 0, &first, &end));
    expect_next(&in_pieces, cursor, 0, 63, 73);
    expect_next(&in_pieces, cursor, 1, 73, 80);
    while (hy_conv_chunk_queue_pop(&in_pieces, cursor, 0, &first, &end))
        EXPECT(first >= 80);
    EXPECT_INT(end, 100);
    expect_end(&in_pieces, cursor, 1);
}

TEST(conv_turns, a_part_of_one_piece_is_left_to_whoever_runs_its_task)
{
    struct hy_conv_chunk_cursor cursor[2];

    hy_conv_chunk_queue_start(&in_order, cursor);
    expect_next(&in_order, cursor, 0, 0, 15);
    expect_end(&in_order, cursor, 0);
    expect_next(&in_order, cursor, 1, 15, 30);
}

/* ---- Threads at once ------------------------------------------------------------------------- */

struct crew {
    struct hy_conv_chunk_queue chunk_queue;
    struct hy_conv_chunk_cursor cursor[MOST_TASKS];
    atomic_uint next_task;
    atomic_uint claimed[MOST_UNITS]; /* how often */
    atomic_uint across;              /* pieces that are not of one block */
};

static void *claim_all(void *argument)
{
    struct crew *crew = argument;
    const uint32_t task = crew->next_task++;
    size_t first, end;

    while (hy_conv_chunk_queue_pop(&crew->chunk_queue, crew->cursor, task, &first, &end)) {
        for (size_t i = first; i < end; i++)
            crew->claimed[i]++;
        crew->across += crew->chunk_queue.is_by_pixels &&
                        first / crew->chunk_queue.tiles != (end - 1) / crew->chunk_queue.tiles;
    }
    return NULL;
}

static void run_crew(struct crew *crew)
{
    pthread_t threads[MOST_TASKS];
    size_t wrong = 0;

    hy_conv_chunk_queue_start(&crew->chunk_queue, crew->cursor);
    for (uint32_t i = 0; i < crew->chunk_queue.tasks; i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, claim_all, crew), 0);
    for (uint32_t i = 0; i < crew->chunk_queue.tasks; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < MOST_UNITS; i++)
        wrong += crew->claimed[i] != (i < crew->chunk_queue.units);
    EXPECT_INT(wrong, 0);
    EXPECT_INT(crew->across, 0);
}

TEST(conv_turns, every_unit_is_taken_once_whoever_comes)
{
    uint32_t seed = 1;

    for (int i = 0; i < 200; i++) {
        const uint32_t tasks = 1 + hy_sample_random(&seed) % MOST_TASKS;
        const size_t tiles = tasks + hy_sample_random(&seed) % 300;
        const size_t blocks = 1 + hy_sample_random(&seed) % 6;
        struct crew *crew = calloc(1, sizeof *crew);
        REQUIRE(crew != NULL);
        crew->chunk_queue = (struct hy_conv_chunk_queue){
            .tasks = tasks,
            .is_by_pixels = i % 2,
            .units = tiles * blocks,
            .tiles = tiles,
            .least = 1 + hy_sample_random(&seed) % 40,
        };
        run_crew(crew);
        free(crew);
    }
}
