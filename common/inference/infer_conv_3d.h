#ifndef HY_COMMON_INFERENCE_INFER_CONV_3D_H
#define HY_COMMON_INFERENCE_INFER_CONV_3D_H

#include "common/call.h"
#include "common/operations/geometry.h"

/* CONV_3D or TRANSPOSE_CONV_3D, decoded and checked. */
enum { HY_CONV_3D_AXES = 3 }; /* depth, height, width */

struct hy_conv_3d {
    uint32_t batch, in_channels, out_channels;
    uint32_t groups; /* 1 if transposed */
    uint32_t in[HY_CONV_3D_AXES], out[HY_CONV_3D_AXES];
    struct hy_window axes[HY_CONV_3D_AXES]; /* without a tail if transposed */
    int32_t activation;
};

HY_MUST_CHECK enum hy_code hy_conv_3d_read(const struct hy_call *call, struct hy_conv_3d *conv,
                                           struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_transpose_conv_3d_read(const struct hy_call *call,
                                                     struct hy_conv_3d *conv, struct hy_error *err);

#endif
