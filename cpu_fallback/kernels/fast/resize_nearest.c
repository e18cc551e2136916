#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/copy.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/stop.h"

/* RESIZE_NEAREST_NEIGHBOR: pixels are runs of bytes. A row with the same input row as the row
 * before is a copy of the row before. */

HY_ALWAYS_INLINE void copy_short_pixels(size_t width, const struct hy_resize_params *params,
                                        size_t pixel, const uint8_t *in, uint8_t *out)
{
    for (uint32_t x = 0; x < params->out_w; x++)
        copy_short(width, pixel, in + params->columns[x].low * pixel, out + x * pixel);
}

static void copy_pixels(const struct hy_resize_params *params, size_t pixel, const uint8_t *in,
                        uint8_t *out)
{
#define COPY_SHORT_PIXELS(width) copy_short_pixels(width, params, pixel, in, out)
    if (pixel <= HY_COPY_MOST)
        HY_COPY_BY_WIDTH(pixel, COPY_SHORT_PIXELS);
    else
        for (uint32_t x = 0; x < params->out_w; x++)
            copy_long(pixel, in + params->columns[x].low * pixel, out + x * pixel);
#undef COPY_SHORT_PIXELS
}

void HY_SIMD_FN(resize_nearest)(const struct hy_resize_params *params, const void *in, void *out)
{
    const size_t pixel = params->channels * sizeof(HY_T);
    const size_t in_row = params->in_w * pixel, out_row = params->out_w * pixel;
    const struct hy_resize_tap *rows = params->rows;
    const uint8_t *image = in;
    uint8_t *to = out;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t n = 0; n < params->batch; n++, image += params->in_h * in_row)
        for (uint32_t y = 0; y < params->out_h; y++, to += out_row) {
            if (hy_stop_after(watch, params->out_w * params->channels))
                return;
            if (y > 0 && rows[y].low == rows[y - 1].low)
                memcpy(to, to - out_row, out_row);
            else
                copy_pixels(params, pixel, image + rows[y].low * in_row, to);
        }
}
