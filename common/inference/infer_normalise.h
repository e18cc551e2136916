#ifndef HY_COMMON_INFERENCE_INFER_NORMALISE_H
#define HY_COMMON_INFERENCE_INFER_NORMALISE_H

#include "common/call.h"

/* L2_NORMALIZATION: the axis from input 1, by default the last axis. A quantized output has a scale
 * of 1/128. Normalizations do not support an extent of 0. */
HY_MUST_CHECK enum hy_code hy_l2_normalisation_read(const struct hy_call *call, uint32_t *axis,
                                                    struct hy_error *err);

struct hy_local_response {
    uint32_t radius;
    float bias, alpha, beta;
    uint32_t axis;
};

/* LOCAL_RESPONSE_NORMALIZATION. */
HY_MUST_CHECK enum hy_code hy_local_response_read(const struct hy_call *call,
                                                  struct hy_local_response *response,
                                                  struct hy_error *err);

struct hy_instance_normalisation {
    float gamma, beta, epsilon;
    bool nchw;
};

/* INSTANCE_NORMALIZATION. */
HY_MUST_CHECK enum hy_code
hy_instance_normalisation_read(const struct hy_call *call,
                               struct hy_instance_normalisation *instance, struct hy_error *err);

#endif
