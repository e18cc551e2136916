#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_PIECES_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_PIECES_H

#include "cpu_fallback/kernels/stop.h"

/*
 * Divides long work into pieces, so that an execution can be cancelled between two pieces: `count`
 * elements or units, at most `most` at a time. The body of the loop handles [first, first + part).
 *
 *     for (struct hy_pieces at = hy_pieces(count, most); hy_pieces_next(&at);)
 *         kernel(at.part, in + at.first, out + at.first);
 */
#define HY_CPU_PIECE ((size_t)HY_STOP_UNITS)

struct hy_pieces {
    size_t first, part, count, most;
    struct hy_stop_watch *watch; /* NULL: only one piece */
};

static inline struct hy_pieces hy_pieces(size_t count, size_t most)
{
    return (struct hy_pieces){
        .count = count, .most = most, .watch = count > most ? hy_stop_here() : NULL};
}

/* Advances to the next piece. The first piece is always returned, even an empty piece. */
static inline bool hy_pieces_next(struct hy_pieces *pieces)
{
    const bool is_first = pieces->part == 0 && pieces->first == 0;

    pieces->first += pieces->part;
    if (!is_first &&
        (pieces->first == pieces->count || hy_stop_after(pieces->watch, HY_STOP_UNITS)))
        return false;
    pieces->part =
        pieces->count - pieces->first < pieces->most ? pieces->count - pieces->first : pieces->most;
    return true;
}

#endif
