#include "cpu_fallback/kernels/element.h"

#define HY_BYTE_WEIGHTS

#include "cpu_fallback/kernels/fast/conv/conv_float_tile.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED of float32 with a filter of int8: weights stay bytes, a quarter of
 * what they take as floats.
 *
 * A packed panel: its bias and its scales in float32, then for each step of the depth the weights
 * of its channels.
 */
#define HEADER_FLOATS 2

size_t HY_SIMD_FN(hybrid_conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (HEADER_FLOATS * sizeof(float) + conv_depth(p));
}

/* Depths of a channel that are read at once, see conv_float_pack.h. */
#define PACKED_AT_ONCE 64

/* `from`: of each channel, and the next `count` depths of each. */
static void pack_depths(const int8_t *const *from, size_t channels, size_t width, size_t first,
                        size_t count, int8_t *to)
{
    memset(to, 0, count * width);
    for (size_t i = 0; i < channels; i++)
        for (size_t k = 0; k < count; k++)
            to[k * width + i] = from[i][first + k];
}

/* The panel of `width` channels from `channel` on; returns its end. */
static char *pack_panel(const struct hy_conv_params *p, const int8_t *filter, const float *bias,
                        size_t channel, size_t width, char *to)
{
    const size_t left = p->out_c - channel, count = width < left ? width : left;
    const size_t depth = conv_depth(p);
    float *header = (float *)to;
    int8_t *weights = (int8_t *)(header + HEADER_FLOATS * width);
    const int8_t *from[HY_PANEL];

    for (size_t i = 0; i < width; i++) {
        header[i] = i < count ? bias[channel + i] : 0;
        header[width + i] = i < count ? p->filter_scales[channel + i] : 0;
        from[i] = filter + (channel + i) * depth;
    }
    for (size_t k = 0, depths; k < depth; k += depths) {
        depths = depth - k < PACKED_AT_ONCE ? depth - k : PACKED_AT_ONCE;
        pack_depths(from, count, width, k, depths, weights + k * width);
    }
    return (char *)(weights + depth * width);
}

void HY_SIMD_FN(hybrid_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                  const void *bias, void *packed)
{
    char *to = packed;

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL)
        to = pack_panel(p, filter, bias, channel, panel_width(p, channel), to);
}

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        const size_t left = t->columns - (size_t)v * HY_LANES;
        const vf result = vf_clamp(sums[v], t->min, t->max);
        if (left >= HY_LANES)
            vf_store(out + v * HY_LANES, result);
        else
            vf_store_part(out + v * HY_LANES, result, left);
    }
}

#include "cpu_fallback/kernels/fast/conv/conv_float_panel.h"

#include "cpu_fallback/kernels/fast/conv/conv_float_units.h"

void HY_SIMD_FN(hybrid_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                             const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    run_conv(p, in, weights, out, scratch, first, end);
}
