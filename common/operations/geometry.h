#ifndef HY_COMMON_OPERATIONS_GEOMETRY_H
#define HY_COMMON_OPERATIONS_GEOMETRY_H

#include "common/error.h"

/*
 * Sliding windows along one axis: how padding is placed and how large the output becomes. The rules
 * are those of CONV_2D, DEPTHWISE_CONV_2D and the pools; sizes are in elements.
 */
struct hy_window {
    uint32_t filter;
    uint32_t stride;
    uint32_t dilation; /* 1: neighbours */
    uint32_t head;     /* padding before the first element (left or top) */
    uint32_t tail;     /* padding after the last one (right or bottom) */
};

/*
 * Sets head and tail as padding scheme `scheme` says for an input of `in` elements: 1 SAME, as many
 * outputs as strides begin in the input; 2 VALID (and 0), none. HY_FAILED for others.
 */
HY_MUST_CHECK enum hy_code hy_window_pad(struct hy_window *window, int32_t scheme, uint32_t in,
                                         struct hy_error *err);

/*
 * The number of outputs for an input of `in` elements. HY_FAILED when the input is empty, a stride,
 * filter or dilation is 0, a pad reaches the (dilated) filter, no window fits, or a size that
 * kernels compute with does not fit an int32.
 */
HY_MUST_CHECK enum hy_code hy_window_output(const struct hy_window *window, uint32_t in,
                                            uint32_t *out, struct hy_error *err);

#endif
