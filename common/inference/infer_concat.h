#ifndef HY_COMMON_INFERENCE_INFER_CONCAT_H
#define HY_COMMON_INFERENCE_INFER_CONCAT_H

#include "common/call.h"

/*
 * The axis for joining or splitting tensors, checked against the tensors. CONCATENATION and PACK of
 * NNAPI need an axis of at least 0; other operations also count from the end. UNPACK uses the axis
 * of SPLIT.
 */
HY_MUST_CHECK enum hy_code hy_concatenation_axis(const struct hy_call *call, uint32_t *axis,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_pack_axis(const struct hy_call *call, uint32_t *axis,
                                        struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_split_axis(const struct hy_call *call, uint32_t *axis,
                                         struct hy_error *err);

#endif
