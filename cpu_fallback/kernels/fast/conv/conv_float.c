#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_float_pack.h"
#include "cpu_fallback/kernels/fast/conv/conv_float_tile.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED in float32. DEPTHWISE_CONV_2D of one input channel is the same
 * product with a transposed filter.
 */

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (1 + conv_depth(p)) * sizeof(float);
}

static void pack(const struct hy_conv_params *p, const struct filter *f, const float *bias,
                 float *to)
{
    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL)
        to = pack_panel(p, f, bias, channel, panel_width(p, channel), to);
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);
    pack(p, &f, bias, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const struct filter f = plain_filter(p, filter, 1, p->out_c);
    pack(p, &f, bias, packed);
}

void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *filter,
                                  const void *bias, void *packed)
{
    pack(p, filter, bias, packed);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return patches_are_contiguous(p) ? 0 : HY_TILE_ROWS * conv_depth(p) * sizeof(float);
}

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        const size_t left = t->columns - (size_t)v * HY_LANES;
        const vf result = vf_clamp(sums[v], t->min, t->max);
        if (left >= HY_LANES) /* partial stores delay the next operation */
            vf_store(out + v * HY_LANES, result);
        else
            vf_store_part(out + v * HY_LANES, result, left);
    }
}

#include "cpu_fallback/kernels/fast/conv/conv_float_panel.h"

#define HEADER_FLOATS 1
#include "cpu_fallback/kernels/fast/conv/conv_float_units.h"

#if defined(HY_INTERLEAVED_ROWS)
#include "cpu_fallback/kernels/fast/conv/conv_float_interleaved.h"
#endif

#include "cpu_fallback/kernels/fast/conv/conv_float_lstm.h"

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    run_conv(p, in, weights, out, scratch, first, end);
}
