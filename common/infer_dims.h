#ifndef HY_COMMON_INFER_DIMS_H
#define HY_COMMON_INFER_DIMS_H

#include "common/call.h"

/* Operations on extents alone: EXPAND_DIMS and SQUEEZE keep every byte in its place, FILL makes a
 * tensor of the shape it is told, RANK tells the number of extents as a scalar. */
HY_MUST_CHECK enum hy_code hy_infer_expand_dims(const struct hy_call *call,
                                                struct hy_shape *outputs, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_squeeze(const struct hy_call *call, struct hy_shape *outputs,
                                            struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_fill(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_rank(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err);

#endif
