#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_3D_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_3D_H

#include "cpu_fallback/kernels/types.h"

/**
 * CONV_3D and TRANSPOSE_CONV_3D of org.halyard.operations.
 *   in      [batch, depth, height, width, in_c]
 *   filter  [depth, height, width, in_c / groups, out_c]; transposed [..., out_c, in_c]
 *   bias    [out_c]
 *   out     [batch, depth, height, width, out_c]
 * f32 and f16, sums in float32. Along each axis, tap t of output position o reads input position o
 * * stride + t * dilation - pad. Transposed, tap t reads input position i with i * stride + t *
 * dilation - pad = o. Positions outside of the input count as zeros.
 *
 * Axes are depth, height, width. The caller has validated: strides and dilations > 0, each padded
 * size fits int32_t.
 */
struct hy_conv_3d_axis {
    uint32_t in, out, filter, stride, dilation, pad;
};

struct hy_conv_3d_params {
    uint32_t batch, in_c, out_c, groups;
    struct hy_conv_3d_axis axes[3];
    struct hy_activation activation;
};

/* Computes the lines [first, end) along the width of the output; the lines of all volumes count,
 * batch * depth * height in total. */
typedef void hy_conv_3d_fn(const struct hy_conv_3d_params *params, const void *in,
                           const void *filter, const void *bias, void *out, size_t first,
                           size_t end);

#endif
