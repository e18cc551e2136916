#include "cpu_fallback/kernels/fast/conv_quant.h"

#include <math.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/rescale_offsets.h"

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (HEADER_WORDS + conv_steps(p) * STEP_WORDS) * sizeof(int32_t);
}

/* A filter and how far its channels and its depths lie apart. */
struct filter {
    const HY_FILTER_T *values;
    size_t channel_step, depth_step;
    int32_t offset;
};

static hy_dot_weight weight_at(const struct filter *f, size_t channel, size_t k)
{
    return (hy_dot_weight)(f->values[channel * f->channel_step + k * f->depth_step] - f->offset);
}

/* The part in brackets of the formula in conv_quant.h for one channel. */
static int32_t start_of_sum(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                            int32_t bias)
{
    size_t depth = conv_depth(p);
    uint32_t zx = (uint32_t)(p->in_zero_point - dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED));
    uint32_t zw = (uint32_t)(p->filter_zero_point - f->offset), sum = 0;

    for (size_t k = 0; k < depth; k++)
        sum += (uint32_t)weight_at(f, channel, k);
    return (int32_t)((uint32_t)bias - zx * sum + (uint32_t)depth * zx * zw);
}

/* No sum of a channel is larger: activations take 8 bits, less an offset that they may have. */
static double largest_sum(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                          int32_t start)
{
    const size_t depth = conv_depth(p);
    uint64_t weights = (uint64_t)abs(p->filter_zero_point - f->offset) * depth;

    for (size_t k = 0; k < depth; k++)
        weights += (uint32_t)abs(weight_at(f, channel, k));
    return fabs((double)start) + 255 * (double)weights;
}

/* The header words of `width` channels from `channel` on. */
static void pack_header(const struct hy_conv_params *p, const struct filter *f, const int32_t *bias,
                        size_t channel, size_t width, struct rescale_packer *packer, int32_t *to)
{
    struct rescale_channels channels[HY_PANEL_VECTORS] = {0};

    for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
        struct rescale_channels *c = &channels[i / HY_LANES];
        const size_t lane = i % HY_LANES;
        c->start[lane] = start_of_sum(p, f, channel + i, bias[channel + i]);
        c->multipliers[lane] = p->multipliers[channel + i];
        c->largest[lane] = largest_sum(p, f, channel + i, c->start[lane]);
    }
    rescale_pack(packer, channels, width / HY_LANES, to);
}

static void pack_weights(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                         size_t width, hy_dot_weight *to)
{
    const size_t lines = conv_lines(p), depth = conv_line_depth(p);

    for (size_t line = 0; line < lines; line++)
        for (size_t k = 0; k < depth; k += HY_DOT_GROUP)
            for (size_t i = 0; i < width; i++)
                for (size_t g = 0; g < HY_DOT_GROUP; g++) {
                    bool exists = channel + i < p->out_c && k + g < depth;
                    *to++ = exists ? weight_at(f, channel + i, line * depth + k + g) : 0;
                }
}

static void pack(const struct hy_conv_params *p, const struct filter *f, const int32_t *bias,
                 bool halves_away, int32_t *to)
{
    struct rescale_packer packer =
        rescale_packer_of((struct rescale_layer){halves_away, HY_IN_IS_SIGNED, p->out_zero_point});

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        size_t width = panel_width(p, channel);
        pack_header(p, f, bias, channel, width, &packer, to);
        to += HEADER_WORDS * width;
        pack_weights(p, f, channel, width, (hy_dot_weight *)to);
        to += conv_steps(p) * STEP_WORDS * width;
    }
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    struct filter f = {filter, conv_depth(p), 1,
                       dot_weight_offset(p->filter_zero_point, HY_FILTER_IS_SIGNED)};
    pack(p, &f, bias, false, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    struct filter f = {filter, 1, p->out_c,
                       dot_weight_offset(p->filter_zero_point, HY_FILTER_IS_SIGNED)};
    pack(p, &f, bias, true, packed);
}
