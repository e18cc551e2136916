#ifndef HY_COMMON_INFER_ELEMENTWISE_H
#define HY_COMMON_INFER_ELEMENTWISE_H

#include "common/call.h"

/* Inputs 0 and 1 broadcast to output 0; input 2 is an activation, NONE for int32. ADD. */
HY_MUST_CHECK enum hy_code hy_infer_broadcast(const struct hy_call *call, struct hy_shape *outputs,
                                              struct hy_error *err);

/* Output 0 has the shape of input 0, of rank 4 at most. DEQUANTIZE. */
HY_MUST_CHECK enum hy_code hy_infer_same_shape(const struct hy_call *call, struct hy_shape *outputs,
                                               struct hy_error *err);

#endif
