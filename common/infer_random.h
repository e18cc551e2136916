#ifndef HY_COMMON_INFER_RANDOM_H
#define HY_COMMON_INFER_RANDOM_H

#include "common/call.h"

/* RANDOM_MULTINOMIAL: input 0 of [rows, classes] without an extent of 0, input 1 samples, two
 * seeds. */
HY_MUST_CHECK enum hy_code hy_infer_random_multinomial(const struct hy_call *call,
                                                       struct hy_shape *outputs,
                                                       struct hy_error *err);

#endif
