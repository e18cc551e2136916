#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_MATMUL_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_MATMUL_H

#include "cpu_fallback/kernels/types.h"

/**
 * BATCH_MATMUL, NNAPI code 102, feature level 6.
 *   lhs  batch matrices [rows, depth]       f32, f16, i32, s8
 *   rhs  batch matrices [depth, columns]
 *   out  batch matrices [rows, columns], dense
 * Either side may lie in any order, as its strides (in elements) say; rhs matrices may be repeated.
 * i32 is modulo 2^32. Quantised: the exact sum of (lhs - zero point) * (rhs - zero point), scaled
 * in two roundings, the second half up (bit-exact with TensorFlow Lite), plus the zero point of
 * out, clamped.
 */
struct hy_matmul_side {
    size_t batch_strides[2];
    size_t row_stride, column_stride;
};

struct hy_matmul_params {
    size_t batch[2]; /* matrices, by two dimensions */
    size_t rows, depth, columns;
    struct hy_matmul_side lhs, rhs;
    /* quantised only, else 0 */
    int32_t lhs_zero_point, rhs_zero_point, out_zero_point;
    struct hy_multiplier multiplier;
};

typedef void hy_matmul_fn(const struct hy_matmul_params *params, const void *lhs, const void *rhs,
                          void *out);

#endif
