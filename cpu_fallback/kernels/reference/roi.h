#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_ROI_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_ROI_H

#include "common/inference/infer_roi.h"
#include "cpu_fallback/kernels/box.h"
#include "cpu_fallback/kernels/types.h"

/**
 * ROI_ALIGN and ROI_POOLING, NNAPI codes 81 and 82, feature level 3.
 *   in      [N, H, W, C]  f32, f16, u8, s8
 *   boxes   [R] in pixels of `in`, ordered, within [0, W] and [0, H]
 *   images  [R] in [0, N)
 *   sums    scratch for C sums (ALIGN only), each of HY_ROI_SUM_SIZE bytes
 *   out     [R, out_h, out_w, C]
 * ALIGN computes the mean of sample points in each cell. A point is interpolated between four
 * pixels; weights of quantised types are multiples of 1/255. POOLING computes the largest pixel in
 * each cell, and real zero in an empty cell; input and output have the same quantisation.
 */
enum hy_roi_op { HY_ROI_ALIGN, HY_ROI_POOLING, HY_ROI_OP_COUNT };

/* An int64_t or a double. */
#define HY_ROI_SUM_SIZE sizeof(int64_t)

struct hy_roi_params {
    struct hy_roi roi;
    int32_t in_zero_point, out_zero_point;
    double scale; /* output value of a weighted pixel, ALIGN only: in_scale / (255 * out_scale) */
};

typedef void hy_roi_fn(const struct hy_roi_params *params, const void *in,
                       const struct hy_box *boxes, const int32_t *images, void *sums, void *out);

#endif
