#ifndef HY_COMMON_INFERENCE_INFER_CONV_H
#define HY_COMMON_INFERENCE_INFER_CONV_H

#include "common/call.h"
#include "common/image/image.h"
#include "common/operations/geometry.h"

/* The decoded and checked arguments of a convolution, in all forms except FULLY_CONNECTED. */
struct hy_conv_2d {
    struct hy_image_size in, out;
    uint32_t groups;          /* independent groups of channels; 1 except for GROUPED_CONV_2D */
    struct hy_window rows;    /* along the height */
    struct hy_window columns; /* along the width */
    int32_t activation;
    bool nchw;
};

/*
 * Reads the arguments and checks that shapes agree, sizes are positive, and the bias has the
 * required scale. The batch may be 0. Kernels can trust every number.
 */
HY_MUST_CHECK enum hy_code hy_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                                           struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_depthwise_conv_2d_read(const struct hy_call *call,
                                                     struct hy_conv_2d *conv, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_grouped_conv_2d_read(const struct hy_call *call,
                                                   struct hy_conv_2d *conv, struct hy_error *err);

/*
 * The common checks of inputs 1 and 2: filter and bias are for `channels` outputs, scales per
 * channel are along dimension `dim` of the filter, and a quantized bias has the scale input *
 * filter. The filter must have rank 4.
 */
HY_MUST_CHECK enum hy_code hy_conv_check_weights(const struct hy_call *call, uint32_t channels,
                                                 uint32_t dim, struct hy_error *err);

/* FULLY_CONNECTED: input of rank 2 to 4 as `rows` rows of `inputs` elements. */
struct hy_fully_connected {
    uint32_t rows, inputs, units;
    int32_t activation;
};

HY_MUST_CHECK enum hy_code hy_fully_connected_read(const struct hy_call *call,
                                                   struct hy_fully_connected *fc,
                                                   struct hy_error *err);

#endif
