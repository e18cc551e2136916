#ifndef HY_COMMON_INFER_CONV_H
#define HY_COMMON_INFER_CONV_H

#include "common/call.h"
#include "common/geometry.h"
#include "common/image.h"

/* CONV_2D or DEPTHWISE_CONV_2D, all its forms, decoded and checked. */
struct hy_conv_2d {
    struct hy_image_size in, out;
    struct hy_window rows;    /* along the height */
    struct hy_window columns; /* along the width */
    int32_t activation;
    bool nchw;
};

/*
 * Reads the arguments: shapes agree, sizes are positive, the bias has the scale it must have. The
 * batch may be 0. Kernels can trust every number.
 */
HY_MUST_CHECK enum hy_code hy_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                                           struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_depthwise_conv_2d_read(const struct hy_call *call,
                                                     struct hy_conv_2d *conv, struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_infer_conv_2d(const struct hy_call *call, struct hy_shape *outputs,
                                            struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_depthwise_conv_2d(const struct hy_call *call,
                                                      struct hy_shape *outputs,
                                                      struct hy_error *err);

/* FULLY_CONNECTED: input of rank 2 to 4 seen as `rows` rows of `inputs`. */
struct hy_fully_connected {
    uint32_t rows, inputs, units;
    int32_t activation;
};

HY_MUST_CHECK enum hy_code hy_fully_connected_read(const struct hy_call *call,
                                                   struct hy_fully_connected *fc,
                                                   struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_infer_fully_connected(const struct hy_call *call,
                                                    struct hy_shape *outputs, struct hy_error *err);

#endif
