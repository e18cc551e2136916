#ifndef HY_COMMON_INFER_RESHAPE_H
#define HY_COMMON_INFER_RESHAPE_H

#include "common/call.h"

/* RESHAPE: input 1 lists the extents, one of which may be -1 and follows from the others. */
HY_MUST_CHECK enum hy_code hy_infer_reshape(const struct hy_call *call, struct hy_shape *outputs,
                                            struct hy_error *err);

#endif
