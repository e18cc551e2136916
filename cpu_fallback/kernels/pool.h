#ifndef HY_CPU_FALLBACK_KERNELS_POOL_H
#define HY_CPU_FALLBACK_KERNELS_POOL_H

#include "cpu_fallback/kernels/types.h"

/**
 * AVERAGE_POOL_2D (NNAPI code 1), L2_POOL_2D (12) and MAX_POOL_2D (17), feature level 1.
 *   in   [batch, in_h, in_w, channels]   f32, f16; u8, s8 but for L2 (scale and zero point as out)
 *   out  [batch, out_h, out_w, channels]
 * Windows are intersected with the image: padding counts in no result. Every window touches the
 * image, because each pad is below the filter size and out_h and out_w are computed from the padded
 * size.
 *
 * AVERAGE  the mean; 0 for a window that touches nothing. Quantised: of the raw values, rounded
 *          half away from zero
 * L2       the square root of the mean of the squares MAX      the largest; NaN is ignored
 */
enum hy_pooling { HY_POOLING_AVERAGE, HY_POOLING_L2, HY_POOLING_MAX, HY_POOLING_COUNT };

/*
 * A window of up to HY_POOL_FEW cells is added in float32 from the first cell to the last, as in
 * TensorFlow Lite. In a larger window groups of HY_POOL_BLOCK cells are added in float32, and the
 * group sums in double. The mean stays within a few ulp for windows of any size.
 */
#define HY_POOL_FEW   64u
#define HY_POOL_BLOCK 16u

struct hy_pool_params {
    uint32_t batch, in_h, in_w, channels;
    uint32_t out_h, out_w;
    uint32_t filter_h, filter_w;
    uint32_t stride_h, stride_w;
    uint32_t pad_top, pad_left;
    struct hy_activation activation;
};

typedef void hy_pool_fn(const struct hy_pool_params *params, const void *in, void *out);

#endif
