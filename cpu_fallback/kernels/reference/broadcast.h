#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BROADCAST_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HY_BROADCAST_RANK 16

/* One dimension of the output, and how far a step along it leads in a and b. */
struct hy_broadcast_loop {
    uint32_t size;
    uint32_t a_stride, b_stride; /* elements; 0: repeated */
};

/*
 * How two tensors meet under broadcasting, with neighbouring dimensions merged wherever both
 * walk them alike: two tensors of one shape have rank 1. Row-major, the last dimension innermost.
 */
struct hy_broadcast {
    uint32_t rank;                                     /* 1..HY_BROADCAST_RANK */
    struct hy_broadcast_loop loops[HY_BROADCAST_RANK]; /* those past the rank are never read */
};

/*
 * Fills `out` for shapes a and b aligned at their last dimension. False when the shapes do not fit
 * together (sizes differ and neither is 1) or need more than HY_BROADCAST_RANK dimensions merged;
 * rank 0 is a scalar. The element counts of both and of the output must fit 32 bits (caller's
 * duty).
 */
bool hy_broadcast_init(uint32_t a_rank, const uint32_t *a_dims, uint32_t b_rank,
                       const uint32_t *b_dims, struct hy_broadcast *out);

/* Elements of the output; 0 when any dimension is 0. */
size_t hy_broadcast_count(const struct hy_broadcast *shape);

/*
 * Kernels walk rows: runs along the last dimension. Where row `row` (counted through the other
 * dimensions) begins in a and b; in the output it begins at row * loops[rank - 1].size.
 */
static inline void hy_broadcast_row(const struct hy_broadcast *shape, size_t row, size_t *a,
                                    size_t *b)
{
    *a = *b = 0;
    for (uint32_t i = shape->rank - 1; i-- > 0;) {
        const struct hy_broadcast_loop *loop = &shape->loops[i];
        size_t index = row % loop->size;
        *a += index * loop->a_stride;
        *b += index * loop->b_stride;
        row /= loop->size;
    }
}

/* A row's or a plane's begin in a and b, and its index in the dimensions outside it. Zeroed: the
 * first one. */
struct hy_broadcast_place {
    size_t a, b;
    uint32_t index[HY_BROADCAST_RANK];
};

/* Moves `place` to the next row or plane, which has `outside` dimensions outside it, without a
 * division. After the last one follows the first. */
static inline void hy_broadcast_advance(const struct hy_broadcast *shape, uint32_t outside,
                                        struct hy_broadcast_place *place)
{
    for (uint32_t i = outside; i-- > 0;) {
        const struct hy_broadcast_loop *loop = &shape->loops[i];
        place->a += loop->a_stride;
        place->b += loop->b_stride;
        if (++place->index[i] < loop->size)
            return;
        place->index[i] = 0;
        place->a -= (size_t)loop->size * loop->a_stride;
        place->b -= (size_t)loop->size * loop->b_stride;
    }
}

#endif
