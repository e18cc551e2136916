#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_MATMUL_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_MATMUL_H

#include "cpu_fallback/kernels/types.h"

/**
 * BATCH_MATMUL, NNAPI code 102, feature level 6.
 *   lhs  batch matrices [rows, depth]       f32, f16, f64, bf16, i32, s8, s16
 *   rhs  batch matrices [depth, columns]
 *   out  batch matrices [rows, columns], dense
 * The strides (in elements) of either side allow any memory order and repeated matrices. i32 is
 * modulo 2^32. Quantised: the exact sum of (lhs - zero point) * (rhs - zero point) is scaled in two
 * roundings, the second half up (bit-exact with TensorFlow Lite), plus the zero point of out,
 * clamped. s16 is scaled in one rounding, see fixed_point_wide.h.
 */
#define HY_MATMUL_BATCHES 14 /* largest number of dimensions before the matrices */

struct hy_matmul_side {
    size_t batch_strides[HY_MATMUL_BATCHES];
    size_t row_stride, column_stride;
};

struct hy_matmul_params {
    uint32_t batch_rank;
    size_t batch[HY_MATMUL_BATCHES]; /* number of matrices along each dimension */
    size_t rows, depth, columns;
    struct hy_matmul_side lhs, rhs;
    /* quantised only, else 0 */
    int32_t lhs_zero_point, rhs_zero_point, out_zero_point;
    struct hy_multiplier multiplier;
};

/* The number of matrices, and the start of matrix `index` in one side. */
static inline size_t hy_matmul_count(const struct hy_matmul_params *params)
{
    size_t count = 1;

    for (uint32_t i = 0; i < params->batch_rank; i++)
        count *= params->batch[i];
    return count;
}

static inline size_t hy_matmul_at(const struct hy_matmul_params *params,
                                  const struct hy_matmul_side *side, size_t index)
{
    size_t at = 0;

    for (uint32_t i = params->batch_rank; i-- > 0; index /= params->batch[i])
        at += index % params->batch[i] * side->batch_strides[i];
    return at;
}

typedef void hy_matmul_fn(const struct hy_matmul_params *params, const void *lhs, const void *rhs,
                          void *out);

#endif
