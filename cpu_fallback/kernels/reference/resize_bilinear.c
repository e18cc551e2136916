#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/resize.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define FROM_FLOAT(x) HY_STORE(x)
#define TO_FLOAT(x)   HY_LOAD(x)
#else
#define FROM_FLOAT(x) ((HY_T)(int32_t)floorf((x) + 0.5f)) /* a mean stays in range */
#define TO_FLOAT(x)   ((float)(x))
#endif

#if defined(HY_S16)
/* Weights are multiples of 1 / HY_RESIZE_UNIT, and all sums are exact. */
static void mix_pixel(size_t channels, const struct hy_resize_tap *column, float down,
                      const HY_T *top, const HY_T *bottom, HY_T *out)
{
    const size_t low = column->low * channels, high = column->high * channels;
    const int64_t unit = HY_RESIZE_UNIT, y = (int64_t)(down * HY_RESIZE_UNIT);
    const int64_t x = (int64_t)(column->weight * HY_RESIZE_UNIT);

    for (size_t c = 0; c < channels; c++) {
        const int64_t above = top[low + c] * (unit - x) + top[high + c] * x;
        const int64_t below = bottom[low + c] * (unit - x) + bottom[high + c] * x;
        const int64_t sum = above * (unit - y) + below * y, half = unit * unit / 2;
        out[c] = (HY_T)((sum > 0 ? sum + half : sum - half) / (unit * unit));
    }
}
#else
/* Computes one output pixel between the pixels of two input rows. The weights and the order of the
 * sum are those of TensorFlow Lite, so that halves of stored values round the same way. */
static void mix_pixel(size_t channels, const struct hy_resize_tap *column, float down,
                      const HY_T *top, const HY_T *bottom, HY_T *out)
{
    const size_t low = column->low * channels, high = column->high * channels;
    const float right = column->weight;
    const float top_low = (1 - down) * (1 - right), top_high = (1 - down) * right;
    const float bottom_low = down * (1 - right), bottom_high = down * right;

    for (size_t c = 0; c < channels; c++) {
        const float sum = TO_FLOAT(top[low + c]) * top_low + TO_FLOAT(top[high + c]) * top_high +
                          TO_FLOAT(bottom[low + c]) * bottom_low +
                          TO_FLOAT(bottom[high + c]) * bottom_high;
        out[c] = FROM_FLOAT(sum);
    }
}
#endif

void HY_FN(resize_bilinear)(const struct hy_resize_params *params, const void *in, void *out)
{
    size_t channels = params->channels, row = params->in_w * channels;
    const HY_T *image = in;
    HY_T *pixel = out;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t n = 0; n < params->batch; n++) {
        for (uint32_t y = 0; y < params->out_h; y++) {
            const struct hy_resize_tap *tap = &params->rows[y];
            const HY_T *top = image + tap->low * row, *bottom = image + tap->high * row;
            for (uint32_t x = 0; x < params->out_w; x++) {
                if (hy_stop_after(watch, channels))
                    return;
                mix_pixel(channels, &params->columns[x], tap->weight, top, bottom, pixel);
                pixel += channels;
            }
        }
        image += params->in_h * row;
    }
}
