#include "cpu_fallback/ops/conv/conv_chunk_queue.h"

/* A piece is this fraction of the remaining units. */
#define PIECES 4u

/* A part: tiles of each block, or units. */
struct part {
    size_t from, width; /* within a row */
    size_t row, rows;   /* units per row, and number of rows */
};

static struct part part_of(const struct hy_conv_chunk_queue *chunk_queue, uint32_t task)
{
    const size_t row = chunk_queue->is_by_pixels ? chunk_queue->tiles : chunk_queue->units;
    const size_t from = row * task / chunk_queue->tasks;

    return (struct part){
        .from = from,
        .width = row * (task + 1) / chunk_queue->tasks - from,
        .row = row,
        .rows = chunk_queue->units / row,
    };
}

/* The size of the next piece after `claimed` units; it does not cross a row. */
static size_t piece_of(const struct part *part, size_t claimed, size_t least)
{
    const size_t left = part->width * part->rows - claimed;
    const size_t left_of_row = part->width - claimed % part->width;
    const size_t piece = (left + PIECES - 1) / PIECES;
    const size_t enough = piece > least ? piece : least;

    return enough < left_of_row ? enough : left_of_row;
}

static bool pop_from(const struct part *part, struct hy_conv_chunk_cursor *cursor, size_t least,
                     size_t *first, size_t *end)
{
    size_t claimed = atomic_load_explicit(&cursor->next, memory_order_relaxed), piece;

    do {
        if (claimed == part->width * part->rows)
            return false;
        piece = piece_of(part, claimed, least);
    } while (!atomic_compare_exchange_weak_explicit(&cursor->next, &claimed, claimed + piece,
                                                    memory_order_relaxed, memory_order_relaxed));
    *first = claimed / part->width * part->row + part->from + claimed % part->width;
    *end = *first + piece;
    return true;
}

void hy_conv_chunk_queue_start(const struct hy_conv_chunk_queue *chunk_queue,
                               struct hy_conv_chunk_cursor *cursor)
{
    for (uint32_t i = 0; i < chunk_queue->tasks; i++)
        atomic_init(&cursor[i].next, 0);
}

bool hy_conv_chunk_queue_pop(const struct hy_conv_chunk_queue *chunk_queue,
                             struct hy_conv_chunk_cursor *cursor, uint32_t task, size_t *first,
                             size_t *end)
{
    for (uint32_t i = 0; i < chunk_queue->tasks; i++) {
        const uint32_t of = (task + i) % chunk_queue->tasks;
        const struct part part = part_of(chunk_queue, of);
        const bool is_one_piece = part.width * part.rows <= chunk_queue->least;

        if (i > 0 && is_one_piece) /* left to the thread that runs its task */
            continue;
        if (pop_from(&part, &cursor[of], chunk_queue->least, first, end))
            return true;
    }
    return false;
}
