#ifndef HY_COMMON_OPERATIONS_GEOMETRY_H
#define HY_COMMON_OPERATIONS_GEOMETRY_H

#include "common/error.h"

/*
 * Sliding windows along an axis: padding and output size. The rules are those of CONV_2D,
 * DEPTHWISE_CONV_2D and the pools; sizes are in elements.
 */
struct hy_window {
    uint32_t filter;
    uint32_t stride;
    uint32_t dilation; /* 1: adjacent elements */
    uint32_t head;     /* padding before the first element (left or top) */
    uint32_t tail;     /* padding after the last one (right or bottom) */
};

/*
 * Sets head and tail by padding scheme `scheme` for an input of `in` elements. 1: SAME, with an
 * output for each stride that begins in the input. 2 or 0: VALID, without padding. HY_FAILED for
 * other schemes.
 */
HY_MUST_CHECK enum hy_code hy_window_pad(struct hy_window *window, int32_t scheme, uint32_t in,
                                         struct hy_error *err);

/*
 * Computes the number of outputs for an input of `in` elements. HY_FAILED for an empty input, a
 * stride, filter or dilation of 0, a pad not smaller than the (dilated) filter, a window larger
 * than the padded input, or a size above int32.
 */
HY_MUST_CHECK enum hy_code hy_window_output(const struct hy_window *window, uint32_t in,
                                            uint32_t *out, struct hy_error *err);

#endif
