#include "cpu_fallback/ops/conv/conv_turns.h"

/* A piece is this fraction of the remaining units. */
#define PIECES 4u

/* A part: tiles of each block, or units. */
struct part {
    size_t from, width; /* within a row */
    size_t row, rows;   /* units per row, and number of rows */
};

static struct part part_of(const struct hy_conv_turns *turns, uint32_t task)
{
    const size_t row = turns->is_by_pixels ? turns->tiles : turns->units;
    const size_t from = row * task / turns->tasks;

    return (struct part){
        .from = from,
        .width = row * (task + 1) / turns->tasks - from,
        .row = row,
        .rows = turns->units / row,
    };
}

/* The size of the next piece after `taken` units; it does not cross a row. */
static size_t piece_of(const struct part *part, size_t taken, size_t least)
{
    const size_t left = part->width * part->rows - taken;
    const size_t left_of_row = part->width - taken % part->width;
    const size_t piece = (left + PIECES - 1) / PIECES;
    const size_t enough = piece > least ? piece : least;

    return enough < left_of_row ? enough : left_of_row;
}

static bool take_from(const struct part *part, struct hy_conv_turn *turn, size_t least,
                      size_t *first, size_t *end)
{
    size_t taken = atomic_load_explicit(&turn->next, memory_order_relaxed), piece;

    do {
        if (taken == part->width * part->rows)
            return false;
        piece = piece_of(part, taken, least);
    } while (!atomic_compare_exchange_weak_explicit(&turn->next, &taken, taken + piece,
                                                    memory_order_relaxed, memory_order_relaxed));
    *first = taken / part->width * part->row + part->from + taken % part->width;
    *end = *first + piece;
    return true;
}

void hy_conv_turns_start(const struct hy_conv_turns *turns, struct hy_conv_turn *turn)
{
    for (uint32_t i = 0; i < turns->tasks; i++)
        atomic_init(&turn[i].next, 0);
}

bool hy_conv_turns_take(const struct hy_conv_turns *turns, struct hy_conv_turn *turn, uint32_t task,
                        size_t *first, size_t *end)
{
    for (uint32_t i = 0; i < turns->tasks; i++) {
        const uint32_t of = (task + i) % turns->tasks;
        const struct part part = part_of(turns, of);
        const bool is_one_piece = part.width * part.rows <= turns->least;

        if (i > 0 && is_one_piece) /* left to the thread that runs its task */
            continue;
        if (take_from(&part, &turn[of], turns->least, first, end))
            return true;
    }
    return false;
}
