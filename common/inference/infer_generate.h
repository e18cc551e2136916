#ifndef HY_COMMON_INFERENCE_INFER_GENERATE_H
#define HY_COMMON_INFERENCE_INFER_GENERATE_H

#include "common/call.h"

/* Operations that generate elements from a few numbers. */

/* RANGE: the number of elements from the start to the limit. */
HY_MUST_CHECK enum hy_code hy_range_count(const struct hy_call *call, uint32_t *count,
                                          struct hy_error *err);

/* ONE_HOT: the new dimension `axis` of the output has extent `depth`. */
HY_MUST_CHECK enum hy_code hy_one_hot_read(const struct hy_call *call, uint32_t *axis,
                                           uint32_t *depth, struct hy_error *err);

#endif
