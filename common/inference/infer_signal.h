#ifndef HY_COMMON_INFERENCE_INFER_SIGNAL_H
#define HY_COMMON_INFERENCE_INFER_SIGNAL_H

#include "common/call.h"

/* RFFT_2D of org.halyard.operations: the number of transformed rows and columns. */
HY_MUST_CHECK enum hy_code hy_rfft_2d_read(const struct hy_call *call, uint32_t lengths[2],
                                           struct hy_error *err);

#endif
