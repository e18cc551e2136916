#ifndef HY_COMMON_INFERENCE_INFER_MATMUL_H
#define HY_COMMON_INFERENCE_INFER_MATMUL_H

#include "common/call.h"

/* BATCH_MATMUL: pairs of matrices [rows, depth] and [depth, columns], stored the other way round
 * where `adjoint`. */
struct hy_batch_matmul {
    uint32_t rows, depth, columns;
    bool lhs_adjoint, rhs_adjoint;
    struct hy_shape out;
};

/* Extents before the last two are those of input 0; input 1 has the same, or 1. Those may be 0. Of
 * org.halyard.operations, ranks go to 16 and may differ, and either input may have 1. */
HY_MUST_CHECK enum hy_code hy_batch_matmul_read(const struct hy_call *call,
                                                struct hy_batch_matmul *matmul,
                                                struct hy_error *err);

#endif
