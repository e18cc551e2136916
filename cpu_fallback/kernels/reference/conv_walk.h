#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_WALK_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_WALK_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/window.h"

/*
 * Positions in the input of a convolution, counted in pixels. Rows are numbered through all images
 * of the batch: row r is output line r % out_h of image r / out_h.
 */

/* The filter taps that fall inside the image. */
struct hy_taps {
    struct hy_window rows, columns;
};

static inline struct hy_taps hy_conv_taps(const struct hy_conv_params *p, uint32_t y, uint32_t x)
{
    return (struct hy_taps){
        hy_taps_at(y, p->stride_h, p->pad_top, p->filter_h, p->dilation_h, p->in_h),
        hy_taps_at(x, p->stride_w, p->pad_left, p->filter_w, p->dilation_w, p->in_w)};
}

/* The first input pixel of the image of output row `row`. */
static inline size_t hy_conv_image(const struct hy_conv_params *p, size_t row)
{
    return row / p->out_h * p->in_h * p->in_w;
}

/* The input line under tap row i of output line y; the line must be inside the image. */
static inline size_t hy_conv_tap_row(const struct hy_conv_params *p, uint32_t y, size_t i)
{
    return (size_t)y * p->stride_h + i * p->dilation_h - p->pad_top;
}

/* The pixel, within its image, under tap (i, j) of output (y, x); the tap must be inside the
 * image. */
static inline size_t hy_conv_tap_pixel(const struct hy_conv_params *p, uint32_t y, uint32_t x,
                                       size_t i, size_t j)
{
    size_t in_x = (size_t)x * p->stride_w + j * p->dilation_w - p->pad_left;
    return hy_conv_tap_row(p, y, i) * p->in_w + in_x;
}

#endif
