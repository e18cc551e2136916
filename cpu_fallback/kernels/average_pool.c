#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/float_clamp.h"
#include "cpu_fallback/kernels/reference.h"
#include "cpu_fallback/kernels/window.h"

#if HY_IS_FLOAT
typedef float sum_type;
#define VALUE(x) HY_LOAD(x)
#else
typedef int64_t sum_type;
#define VALUE(x) (x)
#endif

static HY_T mean(const struct hy_pool_params *params, sum_type sum, size_t count)
{
#if HY_IS_FLOAT
    return HY_STORE(hy_activate(&params->activation, count ? sum / (float)count : 0));
#else
    int64_t n = (int64_t)count;
    int64_t rounded = count ? (sum > 0 ? sum + n / 2 : sum - n / 2) / n : 0;
    return (HY_T)hy_clamp_int32(rounded, params->activation.q_min, params->activation.q_max);
#endif
}

/* One output pixel; `image` is the first of the batch's pixels. */
static void pool_window(const struct hy_pool_params *params, const HY_T *image,
                        struct hy_window rows, struct hy_window columns, HY_T *out)
{
    size_t count = (size_t)(rows.end - rows.begin) * (size_t)(columns.end - columns.begin);

    for (size_t c = 0; c < params->channels; c++) {
        sum_type sum = 0;
        for (size_t y = rows.begin; y < rows.end; y++)
            for (size_t x = columns.begin; x < columns.end; x++)
                sum += VALUE(image[(y * params->in_w + x) * params->channels + c]);
        out[c] = mean(params, sum, count);
    }
}

void HY_FN(average_pool)(const struct hy_pool_params *params, const void *in, void *out)
{
    const HY_T *image = in;
    HY_T *pixel = out;

    for (uint32_t n = 0; n < params->batch; n++) {
        for (uint32_t y = 0; y < params->out_h; y++) {
            struct hy_window rows =
                hy_window_at(y, params->stride_h, params->pad_top, params->filter_h, params->in_h);
            for (uint32_t x = 0; x < params->out_w; x++) {
                struct hy_window columns = hy_window_at(x, params->stride_w, params->pad_left,
                                                        params->filter_w, params->in_w);
                pool_window(params, image, rows, columns, pixel);
                pixel += params->channels;
            }
        }
        image += (size_t)params->in_h * params->in_w * params->channels;
    }
}
