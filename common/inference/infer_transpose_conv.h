#ifndef HY_COMMON_INFERENCE_INFER_TRANSPOSE_CONV_H
#define HY_COMMON_INFERENCE_INFER_TRANSPOSE_CONV_H

#include "common/inference/infer_conv.h"

/*
 * TRANSPOSE_CONV_2D, both forms: `in` grows to `out`. Input pixel (y, x) reaches the filter.rows by
 * filter.columns output pixels from (y * stride - head, x * stride - head) on. The pads at the end
 * are not told: they may be negative, and the size of `out` says as much.
 */
HY_MUST_CHECK enum hy_code hy_transpose_conv_2d_read(const struct hy_call *call,
                                                     struct hy_conv_2d *conv, struct hy_error *err);

#endif
