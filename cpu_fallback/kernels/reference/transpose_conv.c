#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
typedef float sum_type;
typedef HY_T filter_type, bias_type;

static sum_type product(const struct hy_conv_params *params, HY_T x, HY_T tap)
{
    (void)params;
    return HY_LOAD(x) * HY_LOAD(tap);
}

static HY_T finish(const struct hy_conv_params *params, sum_type sum, const HY_T *bias,
                   size_t channel)
{
    return HY_STORE(hy_activate(&params->activation, sum + HY_LOAD(bias[channel])));
}
#else
#include "cpu_fallback/kernels/reference/conv_sum.h"

typedef int64_t sum_type;
typedef HY_FILTER_T filter_type;

static sum_type product(const struct hy_conv_params *params, HY_T x, HY_FILTER_T tap)
{
    return (x - params->in_zero_point) * (tap - params->filter_zero_point);
}

static HY_T finish(const struct hy_conv_params *params, sum_type sum, const bias_type *bias,
                   size_t channel)
{
    return output_of(params,
                     scale_half_away(sum + bias_at(bias, channel), params->multipliers[channel]));
}
#endif

/*
 * The inputs of an output position along one axis: for each t in `steps`, input nearest - t is
 * multiplied by filter tap first + t * stride.
 */
struct reach {
    size_t nearest, first;
    struct hy_window steps;
};

static struct reach reach_of(uint32_t out, uint32_t stride, uint32_t pad, uint32_t filter,
                             uint32_t size)
{
    size_t position = (size_t)out + pad, nearest = position / stride, first = position % stride;
    size_t taps = filter > first ? (filter - first + stride - 1) / stride : 0;
    struct hy_window steps = {
        .begin = nearest < size ? 0 : nearest - size + 1,
        .end = taps <= nearest ? taps : nearest + 1,
    };

    if (steps.begin > steps.end)
        steps.begin = steps.end;
    return (struct reach){nearest, first, steps};
}

static sum_type sum_of(const struct hy_conv_params *params, const HY_T *image,
                       const filter_type *filter, const struct reach *rows,
                       const struct reach *columns)
{
    sum_type sum = 0;

    for (size_t s = rows->steps.begin; s < rows->steps.end; s++)
        for (size_t t = columns->steps.begin; t < columns->steps.end; t++) {
            size_t y = rows->nearest - s, i = rows->first + s * params->stride_h;
            size_t x = columns->nearest - t, j = columns->first + t * params->stride_w;
            const HY_T *pixel = image + (y * params->in_w + x) * params->in_c;
            const filter_type *tap = filter + (i * params->filter_w + j) * params->in_c;
            for (size_t c = 0; c < params->in_c; c++)
                sum += product(params, pixel[c], tap[c]);
        }
    return sum;
}

void HY_FN(transpose_conv)(const struct hy_conv_params *params, const void *in, const void *weights,
                           const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    size_t filter_size = (size_t)params->filter_h * params->filter_w * params->in_c;
    struct hy_stop_watch *watch = hy_stop_here();

    (void)scratch;
    for (size_t row = first; row < end && !hy_stop_after(watch, 1); row++) {
        const HY_T *image = (const HY_T *)in + hy_conv_image(params, row) * params->in_c;
        HY_T *pixel = (HY_T *)out + row * params->out_w * params->out_c;
        struct reach rows = reach_of((uint32_t)(row % params->out_h), params->stride_h,
                                     params->pad_top, params->filter_h, params->in_h);

        for (uint32_t x = 0; x < params->out_w; x++, pixel += params->out_c) {
            struct reach columns =
                reach_of(x, params->stride_w, params->pad_left, params->filter_w, params->in_w);
            size_t cells =
                (rows.steps.end - rows.steps.begin) * (columns.steps.end - columns.steps.begin);
            for (size_t o = 0; o < params->out_c; o++) {
                if (hy_stop_after(watch, cells * params->in_c))
                    return;
                const filter_type *filter = (const filter_type *)weights + o * filter_size;
                sum_type sum = sum_of(params, image, filter, &rows, &columns);
                pixel[o] = finish(params, sum, bias, o);
            }
        }
    }
}
