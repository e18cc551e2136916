#ifndef HY_COMMON_INFERENCE_INFER_JOIN_H
#define HY_COMMON_INFERENCE_INFER_JOIN_H

#include "common/call.h"

/*
 * The axis along which tensors are put together or taken apart, checked against them. CONCATENATION
 * and PACK of NNAPI count axes from 0 only, others also from the end. That of SPLIT is that of
 * UNPACK as well.
 */
HY_MUST_CHECK enum hy_code hy_concatenation_axis(const struct hy_call *call, uint32_t *axis,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_pack_axis(const struct hy_call *call, uint32_t *axis,
                                        struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_split_axis(const struct hy_call *call, uint32_t *axis,
                                         struct hy_error *err);

#endif
