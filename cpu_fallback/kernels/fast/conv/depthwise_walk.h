#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_DEPTHWISE_WALK_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_DEPTHWISE_WALK_H

#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * Depthwise convolution with equal numbers of inputs and outputs computes one output line and one
 * vector of channels at a time. HY_GROUP_PIXELS neighbouring pixels with the same taps are computed
 * together and share each loaded weight.
 *
 * Packed weights: for each vector of channels a header, then one vector of weights per tap.
 */
#define HY_GROUP_PIXELS 4

/* One output line, and the taps of its pixels inside the image. */
struct depthwise_line {
    const struct hy_conv_params *p;
    size_t image; /* first input pixel of the image of the line */
    uint32_t y;
    struct hy_window rows; /* tap rows inside the image */
    bool all_rows;
    struct hy_window inner; /* pixels without taps left or right of the image */
};

/* Output pixels without taps left or right of the image. */
static inline struct hy_window inner_pixels(const struct hy_conv_params *p)
{
    int64_t reach = (int64_t)(p->filter_w - 1) * p->dilation_w + 1;
    int64_t last = (int64_t)p->in_w + p->pad_left - reach; /* x * stride of the last pixel */
    int64_t begin = ((int64_t)p->pad_left + p->stride_w - 1) / p->stride_w;
    int64_t end = last < 0 ? 0 : last / p->stride_w + 1;

    begin = begin > p->out_w ? p->out_w : begin;
    end = end > p->out_w ? p->out_w : end;
    return (struct hy_window){(size_t)begin, (size_t)(end < begin ? begin : end)};
}

static inline struct depthwise_line depthwise_line_at(const struct hy_conv_params *p, size_t row)
{
    uint32_t y = (uint32_t)(row % p->out_h);
    struct hy_window rows =
        hy_taps_at(y, p->stride_h, p->pad_top, p->filter_h, p->dilation_h, p->in_h);
    return (struct depthwise_line){.p = p,
                                   .image = hy_conv_image(p, row),
                                   .y = y,
                                   .rows = rows,
                                   .all_rows = rows.begin == 0 && rows.end == p->filter_h,
                                   .inner = inner_pixels(p)};
}

static inline struct hy_window taps_of_column(const struct hy_conv_params *p, uint32_t x)
{
    return hy_taps_at(x, p->stride_w, p->pad_left, p->filter_w, p->dilation_w, p->in_w);
}

/*
 * The input element under the first of the line's tap rows and the first of `columns` at output
 * pixel x. Tap columns are depthwise_tap_step elements apart, tap rows depthwise_row_step. 0 if the
 * pixel has no tap.
 */
static inline size_t depthwise_first_tap(const struct depthwise_line *line, uint32_t x,
                                         struct hy_window columns)
{
    if (line->rows.begin == line->rows.end || columns.begin == columns.end)
        return 0;
    return hy_conv_tap_pixel(line->p, line->y, x, line->rows.begin, columns.begin) * line->p->in_c;
}

static inline size_t depthwise_tap_step(const struct hy_conv_params *p)
{
    return (size_t)p->dilation_w * p->in_c;
}

static inline size_t depthwise_row_step(const struct hy_conv_params *p)
{
    return (size_t)p->dilation_h * p->in_w * p->in_c;
}

static inline size_t channels_at(const struct hy_conv_params *p, size_t channel)
{
    return p->out_c - channel < HY_LANES ? p->out_c - channel : HY_LANES;
}

static inline size_t depthwise_vectors(const struct hy_conv_params *p)
{
    return ((size_t)p->out_c + HY_LANES - 1) / HY_LANES;
}

/*
 * The number of copies of all channels in a vector. Above 1, a vector can compute neighbouring
 * pixels together.
 */
static inline size_t depthwise_repeats(const struct hy_conv_params *p)
{
    return p->out_c < HY_LANES && HY_LANES % p->out_c == 0 ? HY_LANES / p->out_c : 1;
}

static inline size_t depthwise_taps(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w;
}

#endif
