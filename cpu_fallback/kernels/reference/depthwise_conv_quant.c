#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/conv_sum.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* One output pixel at (y, x) of the image `in`. */
static void convolve(const struct hy_conv_params *params, const HY_T *in, const HY_FILTER_T *filter,
                     const bias_type *bias, uint32_t y, uint32_t x, HY_T *out)
{
    struct hy_taps taps = hy_conv_taps(params, y, x);
    size_t cells = (taps.rows.end - taps.rows.begin) * (taps.columns.end - taps.columns.begin);
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t o = 0; o < params->out_c && !hy_stop_after(watch, cells); o++) {
        size_t c = o / (params->out_c / params->in_c);
        int64_t sum = bias_at(bias, o);
        for (size_t i = taps.rows.begin; i < taps.rows.end; i++)
            for (size_t j = taps.columns.begin; j < taps.columns.end; j++) {
                HY_T value = in[hy_conv_tap_pixel(params, y, x, i, j) * params->in_c + c];
                HY_FILTER_T tap = filter[(i * params->filter_w + j) * params->out_c + o];
                sum += (value - params->in_zero_point) * (tap - params->filter_zero_point);
            }
        out[o] = output_of(params, scale_half_away(sum, params->multipliers[o]));
    }
}

void HY_FN(depthwise_conv)(const struct hy_conv_params *params, const void *in, const void *weights,
                           const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)scratch;
    for (size_t row = first; row < end && !hy_stop_after(hy_stop_here(), 1); row++) {
        const HY_T *image = (const HY_T *)in + hy_conv_image(params, row) * params->in_c;
        HY_T *pixel = (HY_T *)out + row * params->out_w * params->out_c;

        for (uint32_t x = 0; x < params->out_w; x++, pixel += params->out_c)
            convolve(params, image, weights, bias, (uint32_t)(row % params->out_h), x, pixel);
    }
}
