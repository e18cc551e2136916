#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_PACK_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_PACK_H

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"

/*
 * A packed panel is the biases of its channels, followed by the weights of its channels for each
 * step of the depth.
 */

/* Depths of a channel read at once. Filters are often a power of two apart, and the first-level
 * cache keeps few such lines. */
#define PACKED_AT_ONCE 16

HY_ALWAYS_INLINE void pack_channel(const float *from, size_t depth_step, size_t count, size_t width,
                                   float *to)
{
    HY_UNROLL_IF_KNOWN(16)
    for (size_t k = 0; k < count; k++)
        to[k * width] = from[k * depth_step];
}

/* Packs `depths` depths from `first` on, for a panel of `width` channels. `count` of the channels
 * exist, with weights at `from`. */
static void pack_depths(const float *const *from, size_t depth_step, size_t count, size_t width,
                        size_t first, size_t depths, float *to)
{
    const bool usual = depth_step == 1 && depths == PACKED_AT_ONCE && width == HY_PANEL;

    for (size_t i = 0; i < count; i++)
        if (usual)
            pack_channel(from[i] + first, 1, PACKED_AT_ONCE, HY_PANEL, to + i);
        else
            pack_channel(from[i] + first * depth_step, depth_step, depths, width, to + i);
    for (size_t i = count; i < width; i++)
        for (size_t k = 0; k < depths; k++)
            to[k * width + i] = 0;
}

/* Packs channels that lie side by side: the weights of a depth are copied. */
static void copy_depths(const struct filter *f, size_t channel, size_t count, size_t width,
                        size_t depths, float *to)
{
    const float *from = f->values + channel;

    for (size_t k = 0; k < depths; k++, from += f->depth_step, to += width) {
        for (size_t i = 0; i < width; i += HY_LANES) {
            const size_t left = count - i; /* at least one: panels have no empty vectors */
            vf_store(to + i, left >= HY_LANES ? vf_load(from + i) : vf_load_part(from + i, left));
        }
    }
}

/* Packs the panel of `width` columns from `channel` on. Returns the end of the panel. */
static float *pack_panel(const struct hy_conv_params *p, const struct filter *f, const float *bias,
                         size_t channel, size_t width, float *to)
{
    const size_t left = p->out_c - channel, count = width < left ? width : left;
    const float *from[HY_PANEL];

    for (size_t i = 0; i < width; i++)
        *to++ = i < count ? bias[(channel + i) % f->channels] : 0;
    if (f->channel_step == 1 && f->channels == p->out_c && f->rows * f->columns == 1) {
        copy_depths(f, channel, count, width, f->run, to);
        return to + f->run * width;
    }
    for (size_t run = 0; run < f->rows * f->columns; run++) {
        for (size_t i = 0; i < count; i++)
            from[i] = run_of(f, channel + i, run);
        for (size_t k = 0, depths; k < f->run; k += depths) {
            depths = f->run - k < PACKED_AT_ONCE ? f->run - k : PACKED_AT_ONCE;
            pack_depths(from, f->depth_step, count, width, k, depths, to);
            to += depths * width;
        }
    }
    return to;
}

#endif
