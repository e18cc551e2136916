#ifndef HY_COMMON_INFERENCE_INFER_MATMUL_H
#define HY_COMMON_INFERENCE_INFER_MATMUL_H

#include "common/call.h"

/* BATCH_MATMUL: pairs of matrices [rows, depth] and [depth, columns], stored transposed if
 * `adjoint`. */
struct hy_batch_matmul {
    uint32_t rows, depth, columns;
    bool lhs_adjoint, rhs_adjoint;
    struct hy_shape out;
};

/* The extents before the last two come from input 0; input 1 has the same extents, or 1. They may
 * be 0. For org.halyard.operations, ranks up to 16 are allowed and may differ, and either input may
 * have 1. */
HY_MUST_CHECK enum hy_code hy_batch_matmul_read(const struct hy_call *call,
                                                struct hy_batch_matmul *matmul,
                                                struct hy_error *err);

#endif
