#ifndef HY_COMMON_INFERENCE_INFER_TRANSPOSE_H
#define HY_COMMON_INFERENCE_INFER_TRANSPOSE_H

#include "common/call.h"

/* TRANSPOSE: dimension i of the output is dimension order[i] of the input. */
HY_MUST_CHECK enum hy_code hy_transpose_order(const struct hy_call *call,
                                              uint32_t order[HY_MAX_RANK], struct hy_error *err);

/* REVERSE_SEQUENCE: sequences along dimension `time`, for each index of dimension `batch`. The
 * lengths are checked at run time. */
HY_MUST_CHECK enum hy_code hy_reverse_sequence_read(const struct hy_call *call, uint32_t *time,
                                                    uint32_t *batch, struct hy_error *err);

/* CHANNEL_SHUFFLE: the channels along `axis` form `groups` groups of equal size. */
HY_MUST_CHECK enum hy_code hy_channel_shuffle_read(const struct hy_call *call, uint32_t *groups,
                                                   uint32_t *axis, struct hy_error *err);

#endif
