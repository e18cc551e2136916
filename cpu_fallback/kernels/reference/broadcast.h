#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BROADCAST_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HY_BROADCAST_RANK 16

/* One dimension of the output, and the distances of neighbours along the dimension in a and b. */
struct hy_broadcast_loop {
    uint32_t size;
    uint32_t a_stride, b_stride; /* elements; 0: repeated */
};

/*
 * The loops over two tensors that broadcast, row-major, the last dimension innermost. Neighbouring
 * dimensions are merged if both tensors walk the dimensions alike: two tensors of one shape have
 * rank 1.
 */
struct hy_broadcast {
    uint32_t rank;                                     /* 1..HY_BROADCAST_RANK */
    struct hy_broadcast_loop loops[HY_BROADCAST_RANK]; /* [rank] and later are never read */
};

/*
 * Fills `out` for shapes a and b aligned at their last dimension. False if the shapes do not fit
 * together (sizes differ and neither is 1) or need more than HY_BROADCAST_RANK merged dimensions.
 * Rank 0 is a scalar. The caller ensures that the element counts of both shapes and of the output
 * fit 32 bits.
 */
bool hy_broadcast_init(uint32_t a_rank, const uint32_t *a_dims, uint32_t b_rank,
                       const uint32_t *b_dims, struct hy_broadcast *out);

/* Number of elements of the output; 0 if any dimension is 0. */
size_t hy_broadcast_count(const struct hy_broadcast *shape);

/*
 * Finds the start of row `row` in a and b. Kernels walk rows, which run along the last dimension;
 * `row` counts through the other dimensions. In the output the row starts at row * loops[rank -
 * 1].size.
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

/* The start of a row or plane in a and b, and its index in the outer dimensions. All zeros: the
 * first row or plane. */
struct hy_broadcast_position {
    size_t a, b;
    uint32_t index[HY_BROADCAST_RANK];
};

/* Moves `place` to the next row or plane with `outside` outer dimensions, without a division. The
 * first row or plane follows the last. */
static inline void hy_broadcast_advance(const struct hy_broadcast *shape, uint32_t outside,
                                        struct hy_broadcast_position *position)
{
    for (uint32_t i = outside; i-- > 0;) {
        const struct hy_broadcast_loop *loop = &shape->loops[i];
        position->a += loop->a_stride;
        position->b += loop->b_stride;
        if (++position->index[i] < loop->size)
            return;
        position->index[i] = 0;
        position->a -= (size_t)loop->size * loop->a_stride;
        position->b -= (size_t)loop->size * loop->b_stride;
    }
}

#endif
