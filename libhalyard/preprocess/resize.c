#include "libhalyard/preprocess/resize.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The input samples that make one output sample of one axis. */
struct window {
    uint32_t first;
    uint32_t count;
    double centre;
    double radius;
};

/* Sample i covers [i, i + 1), its middle is i + 0.5. The window is at least one sample wide. */
static struct window window_of(uint32_t index, uint32_t from, uint32_t to)
{
    const double step = (double)from / to;
    struct window window = {.centre = (index + 0.5) * step, .radius = step > 1 ? step : 1};
    const double low = floor(window.centre - window.radius + 0.5);
    const double high = floor(window.centre + window.radius + 0.5);
    window.first = low > 0 ? (uint32_t)low : 0;
    window.count = (high < from ? (uint32_t)high : from) - window.first;
    return window;
}

static double weight_of(const struct window *window, uint32_t sample)
{
    const double distance = fabs(sample + 0.5 - window->centre) / window->radius;
    return distance < 1 ? 1 - distance : 0;
}

/* One row of the height wanted, in the width found: the rows of the window, blended. */
static void blend_rows(const uint8_t *in, const struct window *window, size_t row, float *out)
{
    double total = 0;
    for (size_t i = 0; i < row; i++)
        out[i] = 0;
    for (uint32_t y = window->first; y < window->first + window->count; y++) {
        const double weight = weight_of(window, y);
        const uint8_t *line = in + y * row;
        for (size_t i = 0; i < row; i++)
            out[i] += (float)weight * (float)line[i];
        total += weight;
    }
    for (size_t i = 0; i < row; i++)
        out[i] /= (float)total;
}

/* One pixel of the width wanted: the pixels of the window, blended. */
static void blend_pixels(const float *row, const struct window *window, uint32_t channels,
                         uint8_t *out)
{
    for (uint32_t c = 0; c < channels; c++) {
        double sum = 0, total = 0;
        for (uint32_t x = window->first; x < window->first + window->count; x++) {
            const double weight = weight_of(window, x);
            sum += weight * (double)row[(size_t)x * channels + c];
            total += weight;
        }
        out[c] = (uint8_t)lrint(sum / total);
    }
}

/* The filter is separable: for each row of the result first down, then across. Only that one row
 * is kept, so a picture of a million rows needs no more memory than another. */
enum hy_code hy_resize(const uint8_t *in, const struct hy_pixels *from, uint8_t *out,
                       const struct hy_pixels *to, struct hy_error *err)
{
    const size_t in_row = (size_t)from->width * from->channels;
    const size_t out_row = (size_t)to->width * to->channels;
    float *row = calloc(in_row, sizeof *row);
    if (!row)
        return hy_fail(err, HY_OUT_OF_MEMORY, "scaling a row of %" PRIu32 " pixels", from->width);

    for (uint32_t y = 0; y < to->height; y++) {
        const struct window down = window_of(y, from->height, to->height);
        blend_rows(in, &down, in_row, row);
        for (uint32_t x = 0; x < to->width; x++) {
            const struct window across = window_of(x, from->width, to->width);
            blend_pixels(row, &across, to->channels, out + y * out_row + (size_t)x * to->channels);
        }
    }
    free(row);
    return HY_OK;
}
