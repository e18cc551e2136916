#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_DEPTHWISE_BANDS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_DEPTHWISE_BANDS_H

#include "cpu_fallback/kernels/fast/conv/depthwise_walk.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * Depthwise convolution in 8 bits as dot products down the columns of the image.
 *
 * The tap rows of a filter form groups of HY_DOT_GROUP; the last group is filled up with weights of
 * zero. A band of input lines has as many lines as the groups have rows. The band is copied with
 * the bytes of each group's lines side by side, and with real zero outside the image. One dot
 * product then computes a group of taps of a column, and no tap is outside. Weights of zero may
 * also come first, so the same copy serves every output line whose taps are within the band.
 *
 * Channels are processed in blocks, so that the copy of a band stays in the first-level cache.
 */
#define HY_MOST_BLOCK ((size_t)4 * HY_LANES)

/* Constants of the bands of a convolution. */
struct bands {
    size_t groups;  /* groups of tap rows */
    size_t shifts;  /* possible positions of a filter in its groups */
    size_t lines;   /* output lines of a band; successive lines are stride_h shifts apart */
    size_t columns; /* columns of the copy */
    size_t block;   /* channels of a block */
};

static inline size_t band_groups(const struct hy_conv_params *p)
{
    return ((size_t)p->filter_h + HY_DOT_GROUP - 1) / HY_DOT_GROUP;
}

static inline size_t band_shifts(const struct hy_conv_params *p)
{
    return band_groups(p) * HY_DOT_GROUP - p->filter_h + 1;
}

/* Lines of dilated filters do not share a copy. */
static inline size_t band_lines(const struct hy_conv_params *p)
{
    return p->dilation_h == 1 ? (band_shifts(p) - 1) / p->stride_h + 1 : 1;
}

static inline size_t bands_of_image(const struct hy_conv_params *p)
{
    return (p->out_h + band_lines(p) - 1) / band_lines(p);
}

/* All channels, up to the largest block. */
static inline size_t band_block(const struct hy_conv_params *p)
{
    return p->out_c < HY_MOST_BLOCK ? p->out_c : HY_MOST_BLOCK;
}

/* Rows of a band used by taps of any of its lines; the last rows of a group may be unused. */
static inline size_t band_rows(const struct hy_conv_params *p, const struct bands *b)
{
    return p->filter_h + (b->lines - 1) * p->stride_h;
}

static inline struct bands bands_of(const struct hy_conv_params *p)
{
    return (struct bands){
        .groups = band_groups(p),
        .shifts = band_shifts(p),
        .lines = band_lines(p),
        .columns =
            (size_t)(p->out_w - 1) * p->stride_w + (size_t)(p->filter_w - 1) * p->dilation_w + 1,
        .block = band_block(p),
    };
}

/* Elements of one group's copy, with capacity for vector accesses behind the end. */
static inline size_t band_group_size(const struct hy_conv_params *p, const struct bands *b)
{
    const size_t beyond = HY_GROUP_PIXELS * ((size_t)p->stride_w * b->block + HY_LANES);

    return (b->columns * b->block + beyond) * HY_DOT_GROUP;
}

/* The source of a block of a band. */
struct band_source {
    const uint8_t *image; /* image, from the block's first channel on */
    int64_t y;            /* input line under the first tap row */
    size_t channels;      /* channels of the block */
    uint8_t zero;         /* stored value of real zero */
    bool is_signed;
    int32_t offset; /* offset for dot_copy */
};

/* Writes real zero to `count` pixels of the copy. */
static inline hy_dot_act *fill_columns(const struct band_source *s, size_t count, hy_dot_act *to)
{
    const size_t size = count * s->channels * HY_DOT_GROUP;
    const int32_t value = s->is_signed ? (int8_t)s->zero : s->zero;

    for (size_t i = 0; i < size; i++)
        to[i] = (hy_dot_act)(value - s->offset);
    return to + size;
}

/* Copies the lines of one group. Lines outside the image are zeros. Lines without taps are replaced
 * by the first line of the group. */
static inline void copy_group(const struct hy_conv_params *p, const struct bands *b,
                              const struct band_source *s, size_t group, hy_dot_act *to)
{
    uint8_t zeros[HY_MOST_BLOCK];
    const uint8_t *rows[HY_DOT_GROUP];
    size_t steps[HY_DOT_GROUP];
    const size_t left = p->pad_left < b->columns ? p->pad_left : b->columns;
    const size_t inside = p->in_w < b->columns - left ? p->in_w : b->columns - left;

    bool all_exist = true;

    memset(zeros, s->zero, sizeof zeros);
    for (size_t g = 0; g < HY_DOT_GROUP; g++) {
        const bool is_met = group * HY_DOT_GROUP + g < band_rows(p, b);
        const int64_t y = s->y + (int64_t)(group * HY_DOT_GROUP + (is_met ? g : 0)) * p->dilation_h;
        const bool exists = y >= 0 && y < p->in_h;
        all_exist = all_exist && exists;
        rows[g] = exists ? s->image + (size_t)y * p->in_w * p->in_c : zeros;
        steps[g] = exists ? p->in_c : 0;
    }
    to = fill_columns(s, left, to);
    if (all_exist && s->channels == p->in_c) { /* lines are contiguous */
        dot_interleave(inside * s->channels, rows, s->is_signed, s->offset, to);
        fill_columns(s, b->columns - left - inside, to + inside * s->channels * HY_DOT_GROUP);
        return;
    }
    for (size_t x = 0; x < inside; x++) {
        dot_interleave(s->channels, rows, s->is_signed, s->offset, to);
        to += s->channels * HY_DOT_GROUP;
        for (size_t g = 0; g < HY_DOT_GROUP; g++)
            rows[g] += steps[g];
    }
    fill_columns(s, b->columns - left - inside, to);
}

#endif
