#ifndef HY_COMMON_INFERENCE_INFER_TRANSPOSE_CONV_H
#define HY_COMMON_INFERENCE_INFER_TRANSPOSE_CONV_H

#include "common/inference/infer_conv.h"

/*
 * TRANSPOSE_CONV_2D in both forms: `in` is upsampled to `out`. Input pixel (y, x) affects
 * filter.rows by filter.columns output pixels starting at (y * stride - head, x * stride - head).
 * The pads at the end are not stored: the pads may be negative, and follow from the size of `out`.
 */
HY_MUST_CHECK enum hy_code hy_transpose_conv_2d_read(const struct hy_call *call,
                                                     struct hy_conv_2d *conv, struct hy_error *err);

#endif
