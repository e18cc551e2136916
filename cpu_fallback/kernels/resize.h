#ifndef HY_CPU_FALLBACK_KERNELS_RESIZE_H
#define HY_CPU_FALLBACK_KERNELS_RESIZE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

/* The input position of one output row (or column): from `low` towards `high` by the fraction
 * `weight`. NEAREST takes `low`. */
struct hy_resize_tap {
    uint32_t low, high;
    float weight;
};

/**
 * RESIZE_BILINEAR, NNAPI code 23, feature level 1, and RESIZE_NEAREST_NEIGHBOR, 94, level 3.
 *   in   [batch, in_h, in_w, channels]
 *        bilinear: f32, f16, u8, s8, s16; nearest: elements of 1, 2, 4 or 8 bytes
 *   out  [batch, out_h, out_w, channels], in the same quantisation
 * Planes of NCHW images are images of one channel. Quantised: the raw values are interpolated in
 * float32 and rounded half up. s16 values are interpolated in integers, with weights in units of 1
 * / HY_RESIZE_UNIT, and rounded half away from zero.
 */
#define HY_RESIZE_UNIT 1024

struct hy_resize_params {
    size_t batch, channels;
    uint32_t in_h, in_w, out_h, out_w;
    const struct hy_resize_tap *rows, *columns; /* [out_h] and [out_w] */
};

typedef void hy_resize_fn(const struct hy_resize_params *params, const void *in, void *out);

/*
 * Fills `out` taps along one axis of `in` pixels, both above 0.
 *   scale = align_corners and out > 1 ? (in - 1) / (out - 1) : in / out
 *   bilinear: at = half_pixel ? (o + 0.5) * scale - 0.5 : o * scale; clamped to the input
 *   nearest:  at = half_pixel ? (o + 0.5) * scale : o * scale; rounded half away if corners are
 *             aligned, otherwise down
 *   fixed:    as bilinear, with scale and positions in units of 1 / HY_RESIZE_UNIT pixel:
 *             the scale rounded to nearest, half of the scale rounded down
 */
struct hy_resize_axis {
    uint32_t in, out;
    bool align_corners, half_pixel_centers;
};
void hy_resize_fill_bilinear(const struct hy_resize_axis *axis, struct hy_resize_tap *taps);
void hy_resize_fill_nearest(const struct hy_resize_axis *axis, struct hy_resize_tap *taps);
void hy_resize_fill_fixed(const struct hy_resize_axis *axis, struct hy_resize_tap *taps);

#endif
