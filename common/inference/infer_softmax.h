#ifndef HY_COMMON_INFERENCE_INFER_SOFTMAX_H
#define HY_COMMON_INFERENCE_INFER_SOFTMAX_H

#include "common/call.h"

struct hy_softmax {
    float beta;
    uint32_t axis;
};

/* SOFTMAX, decoded and checked: beta is above 0, and a quantized output has a scale of 1/256. */
HY_MUST_CHECK enum hy_code hy_softmax_read(const struct hy_call *call, struct hy_softmax *softmax,
                                           struct hy_error *err);

/* LOG_SOFTMAX: any beta, rank and axis, but no extent of 0. */
HY_MUST_CHECK enum hy_code hy_log_softmax_read(const struct hy_call *call,
                                               struct hy_softmax *softmax, struct hy_error *err);

#endif
