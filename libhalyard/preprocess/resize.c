#include "libhalyard/preprocess/resize.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The input samples of one output sample in one dimension. */
struct window {
    uint32_t first;
    uint32_t count;
};

struct axis {
    uint32_t from, to;
    double step;   /* from one output sample to the next, in input samples */
    double radius; /* of the triangle; one sample at least */
};

static struct axis axis_of(uint32_t from, uint32_t to)
{
    const double step = (double)from / to;
    return (struct axis){from, to, step, step > 1 ? step : 1};
}

static uint32_t most_weights(const struct axis *axis)
{
    return (uint32_t)ceil(2 * axis->radius) + 1;
}

/* Fills at most most_weights `weights`, with a sum of 1. */
static struct window weigh(const struct axis *axis, uint32_t index, float *weights)
{
    const double centre = (index + 0.5) * axis->step;
    const double low = floor(centre - axis->radius + 0.5);
    const double high = floor(centre + axis->radius + 0.5);
    struct window window = {.first = low > 0 ? (uint32_t)low : 0};
    window.count = (high < axis->from ? (uint32_t)high : axis->from) - window.first;

    double total = 0;
    for (uint32_t i = 0; i < window.count; i++) {
        const double distance = fabs(window.first + i + 0.5 - centre) / axis->radius;
        weights[i] = (float)(distance < 1 ? 1 - distance : 0);
        total += (double)weights[i];
    }
    for (uint32_t i = 0; i < window.count; i++)
        weights[i] /= (float)total;
    return window;
}

/* One row of the height wanted, in the width found: the rows of the window, blended. */
static void blend_rows(const struct hy_pixels *from, const struct window *window,
                       const float *weights, size_t row, float *out)
{
    for (size_t i = 0; i < row; i++)
        out[i] = 0;
    for (uint32_t y = 0; y < window->count; y++) {
        const uint8_t *line = from->bytes + (window->first + y) * from->stride;
        const float weight = weights[y];
        for (size_t i = 0; i < row; i++)
            out[i] += weight * (float)line[i];
    }
}

/* One pixel of the width wanted: the pixels of the window, blended. */
static void blend_pixels(const float *row, const struct window *window, const float *weights,
                         uint32_t channels, uint8_t *out)
{
    float sums[4] = {0};
    const float *pixel = row + (size_t)window->first * channels;
    for (uint32_t x = 0; x < window->count; x++, pixel += channels)
        for (uint32_t c = 0; c < channels; c++)
            sums[c] += weights[x] * pixel[c];
    for (uint32_t c = 0; c < channels; c++)
        out[c] = (uint8_t)lrintf(fminf(sums[c], 255));
}

/* The memory of a scaling. Only one row of the result is in progress at a time: the memory depends
 * on the sides of the pictures, not on their areas. */
struct scaler {
    struct axis down, across;
    float *row;             /* of the width found */
    float *down_weights;    /* of one row */
    float *across_weights;  /* of all pixels of a row, `across_step` for each */
    struct window *windows; /* of all pixels of a row */
    uint32_t across_step;
};

static void finish(struct scaler *scaler)
{
    free(scaler->row);
    free(scaler->down_weights);
    free(scaler->across_weights);
    free(scaler->windows);
}

static enum hy_code prepare(struct scaler *scaler, const struct hy_pixels *from, uint32_t width,
                            uint32_t height, struct hy_error *err)
{
    scaler->down = axis_of(from->height, height);
    scaler->across = axis_of(from->width, width);
    scaler->across_step = most_weights(&scaler->across);
    scaler->row = calloc((size_t)from->width * from->channels, sizeof *scaler->row);
    scaler->down_weights = calloc(most_weights(&scaler->down), sizeof *scaler->down_weights);
    scaler->across_weights =
        calloc((size_t)width * scaler->across_step, sizeof *scaler->across_weights);
    scaler->windows = calloc(width, sizeof *scaler->windows);
    if (!scaler->row || !scaler->down_weights || !scaler->across_weights || !scaler->windows)
        return hy_fail(err, HY_OUT_OF_MEMORY, "scaling a row of %" PRIu32 " pixels", from->width);

    for (uint32_t x = 0; x < width; x++)
        scaler->windows[x] =
            weigh(&scaler->across, x, scaler->across_weights + (size_t)x * scaler->across_step);
    return HY_OK;
}

/* The filter is separable: for each row of the result first down, then across. */
static void scale(struct scaler *scaler, const struct hy_pixels *from, uint8_t *out, size_t stride)
{
    for (uint32_t y = 0; y < scaler->down.to; y++) {
        const struct window rows = weigh(&scaler->down, y, scaler->down_weights);
        blend_rows(from, &rows, scaler->down_weights, (size_t)from->width * from->channels,
                   scaler->row);
        for (uint32_t x = 0; x < scaler->across.to; x++)
            blend_pixels(scaler->row, &scaler->windows[x],
                         scaler->across_weights + (size_t)x * scaler->across_step, from->channels,
                         out + y * stride + (size_t)x * from->channels);
    }
}

enum hy_code hy_resize(const struct hy_pixels *from, uint8_t *out, size_t stride, uint32_t width,
                       uint32_t height, struct hy_error *err)
{
    if (from->width == width && from->height == height) {
        for (uint32_t y = 0; y < height; y++)
            memcpy(out + y * stride, from->bytes + y * from->stride,
                   (size_t)width * from->channels);
        return HY_OK;
    }
    struct scaler scaler = {0};
    const enum hy_code code = prepare(&scaler, from, width, height, err);
    if (code == HY_OK)
        scale(&scaler, from, out, stride);
    finish(&scaler);
    return code;
}
