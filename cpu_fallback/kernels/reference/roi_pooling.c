#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/kernels/window.h"

#if HY_IS_FLOAT
#define VALUE(x) HY_LOAD(x)
#define EMPTY    0 /* the bits of 0.0 in both types */
#else
#define VALUE(x) (x)
#define EMPTY    ((HY_T)params->out_zero_point)
#endif

/* The pixels of one cell along an axis; both corners of a region belong to it. */
static struct hy_window cell_at(float begin, float end, uint32_t cell, uint32_t cells,
                                uint32_t pixels)
{
    float first = roundf(begin), size = fmaxf(roundf(end) - first + 1, 1) / (float)cells;
    float low = floorf(first + (float)cell * size), high = ceilf(first + (float)(cell + 1) * size);
    float most = (float)pixels;

    return (struct hy_window){low < most ? (uint32_t)low : pixels,
                              high < most ? (uint32_t)high : pixels};
}

static void pool_cell(const struct hy_roi_params *params, const HY_T *image, struct hy_window rows,
                      struct hy_window columns, HY_T *out)
{
    size_t channels = params->roi.in.channels, width = params->roi.in.width;
    int is_empty = rows.begin >= rows.end || columns.begin >= columns.end;
    size_t cells = is_empty ? 1 : (rows.end - rows.begin) * (columns.end - columns.begin);
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t c = 0; c < channels && !hy_stop_after(watch, cells); c++) {
        if (is_empty) {
            out[c] = EMPTY;
            continue;
        }
        HY_T largest = image[(rows.begin * width + columns.begin) * channels + c];
        for (size_t y = rows.begin; y < rows.end; y++) {
            for (size_t x = columns.begin; x < columns.end; x++) {
                HY_T value = image[(y * width + x) * channels + c];
                if (VALUE(value) > VALUE(largest))
                    largest = value;
            }
        }
        out[c] = largest;
    }
}

void HY_FN(roi_pooling)(const struct hy_roi_params *params, const void *in,
                        const struct hy_box *boxes, const int32_t *images, void *sums, void *out)
{
    const struct hy_roi *roi = &params->roi;
    size_t image_size = (size_t)roi->in.height * roi->in.width * roi->in.channels;
    HY_T *pixel = out;

    (void)sums;
    for (uint32_t r = 0; r < roi->out.batch; r++) {
        const struct hy_box *box = &boxes[r];
        const HY_T *image = (const HY_T *)in + (size_t)images[r] * image_size;
        for (uint32_t y = 0; y < roi->out.height; y++) {
            struct hy_window rows = cell_at(box->y1, box->y2, y, roi->out.height, roi->in.height);
            for (uint32_t x = 0; x < roi->out.width; x++) {
                if (hy_stop_after(hy_stop_here(), 1))
                    return;
                struct hy_window columns =
                    cell_at(box->x1, box->x2, x, roi->out.width, roi->in.width);
                pool_cell(params, image, rows, columns, pixel);
                pixel += roi->in.channels;
            }
        }
    }
}
