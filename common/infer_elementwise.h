#ifndef HY_COMMON_INFER_ELEMENTWISE_H
#define HY_COMMON_INFER_ELEMENTWISE_H

#include "common/call.h"

/* Inputs 0 and 1, of rank 4 at most, broadcast to output 0; input 2 is an activation, NONE for
 * int32. ADD, DIV, MUL, SUB. */
HY_MUST_CHECK enum hy_code hy_infer_arithmetic(const struct hy_call *call, struct hy_shape *outputs,
                                               struct hy_error *err);

/* Inputs 0 and 1, of any rank, broadcast to output 0. Comparisons, LOGICAL_AND and LOGICAL_OR,
 * MAXIMUM, MINIMUM, POW, PRELU. */
HY_MUST_CHECK enum hy_code hy_infer_broadcast(const struct hy_call *call, struct hy_shape *outputs,
                                              struct hy_error *err);

/* Output 0 has the shape of input 0: of rank 4 at most (DEQUANTIZE, FLOOR, the activations of
 * feature level 1), or of any rank (other operations on single elements, CAST, QUANTIZE). */
HY_MUST_CHECK enum hy_code hy_infer_same_shape(const struct hy_call *call, struct hy_shape *outputs,
                                               struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_same_shape_of_any_rank(const struct hy_call *call,
                                                           struct hy_shape *outputs,
                                                           struct hy_error *err);

/* SELECT: three inputs of one shape, which is the output's. */
HY_MUST_CHECK enum hy_code hy_infer_select(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err);

#endif
