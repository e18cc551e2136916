#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/kernels/window.h"

/* The part of an image under one output pixel, in one channel. */
struct cells {
    const HY_T *image;
    struct hy_window rows, columns;
    size_t row_step, step;
    size_t count;
};

/* Executes `action` for each cell x, from the first to the last. */
#define FOR_EACH(cells, x, action) \
    for (size_t i = (cells)->rows.begin; i < (cells)->rows.end; i++) \
        for (size_t j = (cells)->columns.begin; j < (cells)->columns.end; j++) { \
            value_type x = LOAD((cells)->image[i * (cells)->row_step + j * (cells)->step]); \
            action; \
        }

#if HY_IS_FLOAT
typedef float value_type;
#define LOAD(x) HY_LOAD(x)
#define LOWEST  -INFINITY

static HY_T finish(const struct hy_pool_params *params, float value)
{
    return HY_STORE(hy_activate(&params->activation, value));
}

static float mean(float sum, size_t count)
{
    return count ? sum / (float)count : 0;
}

/* The sum of `term` over all cells x, of more than HY_POOL_FEW. */
#define SUM_MANY(cells, x, term, result) \
    size_t left = HY_POOL_BLOCK; \
    double total = 0; \
    float sum = 0; \
\
    FOR_EACH(cells, x, { \
        sum += term; \
        if (--left == 0) { \
            total += (double)sum; \
            sum = 0; \
            left = HY_POOL_BLOCK; \
        } \
    }) \
    const float result = (float)(total + (double)sum);

static inline float average(const struct cells *cells)
{
    float sum = 0;

    FOR_EACH(cells, x, sum += x)
    return mean(sum, cells->count);
}

static inline float average_many(const struct cells *cells)
{
    SUM_MANY(cells, x, x, all)
    return mean(all, cells->count);
}
#else
typedef int64_t value_type;
#define LOAD(x)      (x)
#define LOWEST       INT64_MIN
#define average_many average /* integers are exact */

static HY_T finish(const struct hy_pool_params *params, int64_t value)
{
    return (HY_T)hy_clamp_int32(value, params->activation.q_min, params->activation.q_max);
}

static inline int64_t average(const struct cells *cells)
{
    const int64_t n = (int64_t)cells->count;
    int64_t sum = 0;

    FOR_EACH(cells, x, sum += x)
    return n ? (sum > 0 ? sum + n / 2 : sum - n / 2) / n : 0;
}
#endif

static inline value_type largest(const struct cells *cells)
{
    value_type max = LOWEST;

    FOR_EACH(cells, x, max = x > max ? x : max)
    return max;
}

/* Computes one output pixel; `cells` are the cells of channel 0. */
static inline void pool_pixel(const struct hy_pool_params *params, struct cells cells,
                              value_type (*one)(const struct cells *cells), HY_T *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (uint32_t c = 0; c < params->channels && !hy_stop_after(watch, cells.count);
         c++, cells.image++)
        out[c] = finish(params, one(&cells));
}

/* `many` is true for windows of more than HY_POOL_FEW cells. */
static inline void pool(const struct hy_pool_params *params, const HY_T *in, HY_T *out,
                        value_type (*few)(const struct cells *cells),
                        value_type (*many)(const struct cells *cells))
{
    size_t row_step = (size_t)params->in_w * params->channels;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t row = 0; row < (size_t)params->batch * params->out_h; row++) {
        if (hy_stop_after(watch, params->out_w))
            return;
        struct cells cells = {
            .image = in + row / params->out_h * params->in_h * row_step,
            .rows = hy_window_at((uint32_t)(row % params->out_h), params->stride_h, params->pad_top,
                                 params->filter_h, params->in_h),
            .row_step = row_step,
            .step = params->channels,
        };
        for (uint32_t x = 0; x < params->out_w; x++, out += params->channels) {
            cells.columns =
                hy_window_at(x, params->stride_w, params->pad_left, params->filter_w, params->in_w);
            cells.count =
                (cells.rows.end - cells.rows.begin) * (cells.columns.end - cells.columns.begin);
            if (cells.count > HY_POOL_FEW)
                pool_pixel(params, cells, many, out);
            else
                pool_pixel(params, cells, few, out);
        }
    }
}

void HY_FN(average_pool)(const struct hy_pool_params *params, const void *in, void *out)
{
    pool(params, in, out, average, average_many);
}

void HY_FN(max_pool)(const struct hy_pool_params *params, const void *in, void *out)
{
    pool(params, in, out, largest, largest);
}

#if HY_IS_FLOAT
static inline float length(const struct cells *cells)
{
    float sum = 0;

    FOR_EACH(cells, x, sum += x * x)
    return sqrtf(mean(sum, cells->count));
}

static inline float length_many(const struct cells *cells)
{
    SUM_MANY(cells, x, x * x, all)
    return sqrtf(mean(all, cells->count));
}

void HY_FN(l2_pool)(const struct hy_pool_params *params, const void *in, void *out)
{
    pool(params, in, out, length, length_many);
}
#endif
