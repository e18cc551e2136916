#include <math.h>

#include "cpu_fallback/kernels/resize.h"

static float axis_scale(const struct hy_resize_axis *axis)
{
    if (axis->align_corners && axis->out > 1)
        return (float)(axis->in - 1) / (float)(axis->out - 1);
    return (float)axis->in / (float)axis->out;
}

/* Converts a position to an index into `in` pixels; a float cannot count the pixels of large images
 * exactly. */
static uint32_t clamp_index(float position, uint32_t in)
{
    if (!(position > 0))
        return 0;
    return position < (float)(in - 1) ? (uint32_t)position : in - 1;
}

void hy_resize_fill_bilinear(const struct hy_resize_axis *axis, struct hy_resize_tap *taps)
{
    float scale = axis_scale(axis);

    for (uint32_t o = 0; o < axis->out; o++) {
        float at = axis->half_pixel_centers ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;
        uint32_t low = clamp_index(floorf(at), axis->in);
        taps[o].low = low;
        taps[o].high = clamp_index(ceilf(at), axis->in);
        taps[o].weight = at - (float)low;
    }
}

void hy_resize_fill_fixed(const struct hy_resize_axis *axis, struct hy_resize_tap *taps)
{
    const bool is_aligned = axis->align_corners && axis->out > 1;
    const int64_t in = axis->in - (is_aligned ? 1 : 0), out = axis->out - (is_aligned ? 1 : 0);
    const int64_t scale = (in * HY_RESIZE_UNIT + out / 2) / out, last = axis->in - (int64_t)1;

    for (uint32_t o = 0; o < axis->out; o++) {
        const int64_t at =
            o * scale + (axis->half_pixel_centers ? scale / 2 - HY_RESIZE_UNIT / 2 : 0);
        const int64_t low = at < 0 ? 0 : at / HY_RESIZE_UNIT;
        const int64_t high = at < 0 ? 0 : (at + HY_RESIZE_UNIT - 1) / HY_RESIZE_UNIT;
        taps[o].low = (uint32_t)(low < last ? low : last);
        taps[o].high = (uint32_t)(high < last ? high : last);
        taps[o].weight = (float)(at - low * HY_RESIZE_UNIT) / HY_RESIZE_UNIT;
    }
}

void hy_resize_fill_nearest(const struct hy_resize_axis *axis, struct hy_resize_tap *taps)
{
    float scale = axis_scale(axis);

    for (uint32_t o = 0; o < axis->out; o++) {
        float at = axis->half_pixel_centers ? ((float)o + 0.5f) * scale : (float)o * scale;
        taps[o].low = clamp_index(axis->align_corners ? roundf(at) : floorf(at), axis->in);
        taps[o].high = taps[o].low;
        taps[o].weight = 0;
    }
}
