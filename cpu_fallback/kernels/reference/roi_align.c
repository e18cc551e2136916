#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
typedef float part_type;
typedef double sum_type; /* sum of up to 2^20 points */
#define WEIGHT(w) (w)
#define VALUE(x)  HY_LOAD(x)
#else
typedef int64_t part_type;
typedef int64_t sum_type;
#define WEIGHT(w) ((int64_t)roundf(255 * (w)))
#define VALUE(x)  ((x)-params->in_zero_point)
#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX };
#else
enum { MIN = 0, MAX = UINT8_MAX };
#endif
#endif

/* One axis of a region: start and size of its cells, and the number of points in each. */
struct axis {
    float begin, cell;
    uint64_t samples;
    uint32_t pixels; /* size of the feature map */
};

/* The pixels on both sides of a point, and its distance from the first. */
struct tap {
    size_t low, high;
    float part;
};

static struct axis axis_of(float begin, float end, uint32_t cells, uint32_t samples,
                           uint32_t pixels)
{
    float cell = fmaxf(end - begin, 1) / (float)cells;

    return (struct axis){begin, cell, samples ? samples : (uint64_t)ceilf(cell), pixels};
}

static struct tap tap_at(const struct axis *axis, uint32_t cell, uint64_t sample)
{
    float at = axis->begin + (float)cell * axis->cell +
               ((float)sample + 0.5f) * axis->cell / (float)axis->samples;
    size_t low = (size_t)at, last = axis->pixels - 1;

    if (low >= last)
        return (struct tap){last, last, 0};
    return (struct tap){low, low + 1, at - (float)low};
}

/* Adds one point of all channels. */
static void add_point(const struct hy_roi_params *params, const HY_T *image, struct tap y,
                      struct tap x, sum_type *sums)
{
    size_t channels = params->roi.in.channels, row = params->roi.in.width * channels;
    const HY_T *low = image + y.low * row, *high = image + y.high * row;
    part_type w00 = WEIGHT((1 - y.part) * (1 - x.part)), w01 = WEIGHT((1 - y.part) * x.part);
    part_type w10 = WEIGHT(y.part * (1 - x.part)), w11 = WEIGHT(y.part * x.part);

    for (size_t c = 0; c < channels; c++) {
        size_t left = x.low * channels + c, right = x.high * channels + c;
        part_type value = w00 * VALUE(low[left]) + w01 * VALUE(low[right]) +
                          w10 * VALUE(high[left]) + w11 * VALUE(high[right]);
        sums[c] += (sum_type)value;
    }
}

static void store_means(const struct hy_roi_params *params, double count, const sum_type *sums,
                        HY_T *out)
{
#if HY_IS_FLOAT
    for (size_t c = 0; c < params->roi.in.channels; c++)
        out[c] = HY_STORE((float)(sums[c] / count));
#else
    struct hy_multiplier multiplier = hy_multiplier_from_double(params->scale / count);

    for (size_t c = 0; c < params->roi.in.channels; c++) {
        int32_t sum = hy_clamp_int32(sums[c], INT32_MIN, INT32_MAX);
        int64_t value = (int64_t)hy_scale_half_away(sum, multiplier) + params->out_zero_point;
        out[c] = (HY_T)hy_clamp_int32(value, MIN, MAX);
    }
#endif
}

static void align_cell(const struct hy_roi_params *params, const HY_T *image,
                       const struct axis *rows, const struct axis *columns, uint32_t row,
                       uint32_t column, sum_type *sums, HY_T *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    memset(sums, 0, params->roi.in.channels * sizeof *sums);
    for (uint64_t i = 0; i < rows->samples && !hy_stop_after(watch, 1); i++) {
        struct tap y = tap_at(rows, row, i);
        for (uint64_t k = 0; k < columns->samples; k++) {
            if (hy_stop_after(watch, params->roi.in.channels))
                return;
            add_point(params, image, y, tap_at(columns, column, k), sums);
        }
    }
    store_means(params, (double)rows->samples * (double)columns->samples, sums, out);
}

void HY_FN(roi_align)(const struct hy_roi_params *params, const void *in,
                      const struct hy_box *boxes, const int32_t *images, void *sums, void *out)
{
    const struct hy_roi *roi = &params->roi;
    size_t image_size = (size_t)roi->in.height * roi->in.width * roi->in.channels;
    HY_T *pixel = out;

    for (uint32_t r = 0; r < roi->out.batch; r++) {
        const struct hy_box *box = &boxes[r];
        const HY_T *image = (const HY_T *)in + (size_t)images[r] * image_size;
        struct axis rows =
            axis_of(box->y1, box->y2, roi->out.height, roi->samples_h, roi->in.height);
        struct axis columns =
            axis_of(box->x1, box->x2, roi->out.width, roi->samples_w, roi->in.width);
        for (uint32_t y = 0; y < roi->out.height; y++) {
            for (uint32_t x = 0; x < roi->out.width; x++) {
                if (hy_stop_after(hy_stop_here(), roi->in.channels))
                    return;
                align_cell(params, image, &rows, &columns, y, x, sums, pixel);
                pixel += roi->in.channels;
            }
        }
    }
}
