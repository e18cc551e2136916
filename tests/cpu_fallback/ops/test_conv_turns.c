#include "cpu_fallback/ops/conv/conv_turns.h"

#include <pthread.h>
#include <stdlib.h>

#include "test.h"
#include "tests/cpu_fallback/kit/samples.h"

enum { MOST_TASKS = 4, MOST_UNITS = 2000, WHOLE = MOST_UNITS };

static const struct hy_conv_turns by_pixels = {
    .tasks = 2, .is_by_pixels = true, .units = 30, .tiles = 10, .least = WHOLE};
static const struct hy_conv_turns in_order = {.tasks = 2, .units = 30, .tiles = 3, .least = WHOLE};
static const struct hy_conv_turns in_pieces = {
    .tasks = 2, .is_by_pixels = true, .units = 100, .tiles = 100, .least = 3};

static void expect_next(const struct hy_conv_turns *turns, struct hy_conv_turn *turn, uint32_t task,
                        size_t first, size_t end)
{
    size_t from = 0, to = 0;

    EXPECT(hy_conv_turns_take(turns, turn, task, &from, &to));
    EXPECT_INT(from, first);
    EXPECT_INT(to, end);
}

static void expect_end(const struct hy_conv_turns *turns, struct hy_conv_turn *turn, uint32_t task)
{
    size_t from, to;

    EXPECT(!hy_conv_turns_take(turns, turn, task, &from, &to));
}

/* So that the next operation, shared in the same way, reads what its thread has written. */
TEST(conv_turns, a_part_is_some_pixels_of_every_block)
{
    struct hy_conv_turn turn[2];

    hy_conv_turns_start(&by_pixels, turn);
    for (size_t block = 0; block < 30; block += 10) {
        expect_next(&by_pixels, turn, 0, block, block + 5);
        expect_next(&by_pixels, turn, 1, block + 5, block + 10);
    }
    expect_end(&by_pixels, turn, 0);
    expect_end(&by_pixels, turn, 1);
}

TEST(conv_turns, a_part_is_some_of_the_weights_where_it_is_not_pixels)
{
    struct hy_conv_turn turn[2];

    hy_conv_turns_start(&in_order, turn);
    expect_next(&in_order, turn, 1, 15, 30);
    expect_next(&in_order, turn, 0, 0, 15);
    expect_end(&in_order, turn, 0);
    expect_end(&in_order, turn, 1);
}

/* A quarter of what is left, and at last what is just worth it. */
TEST(conv_turns, pieces_get_smaller)
{
    static const size_t ends[] = {13, 23, 30, 35, 39, 42, 45, 48, 50};
    struct hy_conv_turn turn[2];
    size_t from = 0;

    hy_conv_turns_start(&in_pieces, turn);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        expect_next(&in_pieces, turn, 0, from, ends[i]);
        from = ends[i];
    }
}

TEST(conv_turns, who_is_done_takes_pieces_of_what_the_others_have_left)
{
    struct hy_conv_turn turn[2];
    size_t first = 0, end = 0;

    hy_conv_turns_start(&in_pieces, turn);
    expect_next(&in_pieces, turn, 1, 50, 63);
    while (end < 50)
        EXPECT(hy_conv_turns_take(&in_pieces, turn, 0, &first, &end));
    expect_next(&in_pieces, turn, 0, 63, 73);
    expect_next(&in_pieces, turn, 1, 73, 80);
    while (hy_conv_turns_take(&in_pieces, turn, 0, &first, &end))
        EXPECT(first >= 80);
    EXPECT_INT(end, 100);
    expect_end(&in_pieces, turn, 1);
}

TEST(conv_turns, a_part_of_one_piece_is_left_to_whoever_runs_its_task)
{
    struct hy_conv_turn turn[2];

    hy_conv_turns_start(&in_order, turn);
    expect_next(&in_order, turn, 0, 0, 15);
    expect_end(&in_order, turn, 0);
    expect_next(&in_order, turn, 1, 15, 30);
}

/* ---- Threads at once ------------------------------------------------------------------------- */

struct crew {
    struct hy_conv_turns turns;
    struct hy_conv_turn turn[MOST_TASKS];
    atomic_uint next_task;
    atomic_uint taken[MOST_UNITS]; /* how often */
    atomic_uint across;            /* pieces that are not of one block */
};

static void *take_all(void *argument)
{
    struct crew *crew = argument;
    const uint32_t task = crew->next_task++;
    size_t first, end;

    while (hy_conv_turns_take(&crew->turns, crew->turn, task, &first, &end)) {
        for (size_t i = first; i < end; i++)
            crew->taken[i]++;
        crew->across +=
            crew->turns.is_by_pixels && first / crew->turns.tiles != (end - 1) / crew->turns.tiles;
    }
    return NULL;
}

static void run_crew(struct crew *crew)
{
    pthread_t threads[MOST_TASKS];
    size_t wrong = 0;

    hy_conv_turns_start(&crew->turns, crew->turn);
    for (uint32_t i = 0; i < crew->turns.tasks; i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, take_all, crew), 0);
    for (uint32_t i = 0; i < crew->turns.tasks; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < MOST_UNITS; i++)
        wrong += crew->taken[i] != (i < crew->turns.units);
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
        crew->turns = (struct hy_conv_turns){
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
