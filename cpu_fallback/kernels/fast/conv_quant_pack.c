#include "cpu_fallback/kernels/fast/conv_quant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Of the weights of one channel. */
struct weight_sums {
    uint32_t sum; /* modulo 2^32 */
    uint64_t magnitudes;
};

#define SUMMED_AT_ONCE 65536u /* bytes, of which 32 bits hold the sum */

/* `step`: a constant for the compiler where weights are neighbours, so that vectors add them. */
HY_ALWAYS_INLINE struct weight_sums sum_weights(const HY_FILTER_T *values, size_t step,
                                                size_t count, int32_t offset)
{
    struct weight_sums sums = {0};

    for (size_t first = 0; first < count; first += SUMMED_AT_ONCE) {
        const size_t left = count - first;
        const size_t end = first + (left < SUMMED_AT_ONCE ? left : SUMMED_AT_ONCE);
        uint32_t sum = 0, magnitudes = 0;
        for (size_t k = first; k < end; k++) {
            const int32_t weight = values[k * step] - offset;
            sum += (uint32_t)weight;
            magnitudes += (uint32_t)abs(weight);
        }
        sums.sum += sum;
        sums.magnitudes += magnitudes;
    }
    return sums;
}

static struct weight_sums sums_of(const struct filter *f, size_t channel, size_t depth)
{
    const HY_FILTER_T *values = f->values + channel * f->channel_step;

    return f->depth_step == 1 ? sum_weights(values, 1, depth, f->offset)
                              : sum_weights(values, f->depth_step, depth, f->offset);
}

/* The part in brackets of the formula in conv_quant.h for one channel. */
static int32_t start_of_sum(const struct hy_conv_params *p, const struct filter *f,
                            const struct weight_sums *sums, int32_t bias)
{
    uint32_t zx = (uint32_t)(p->in_zero_point - dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED));
    uint32_t zw = (uint32_t)(p->filter_zero_point - f->offset);

    return (int32_t)((uint32_t)bias - zx * sums->sum + (uint32_t)conv_depth(p) * zx * zw);
}

/* No sum of a channel is larger: activations take 8 bits, less an offset that they may have. */
static double largest_sum(const struct hy_conv_params *p, const struct filter *f,
                          const struct weight_sums *sums, int32_t start)
{
    const uint64_t zeros = (uint64_t)abs(p->filter_zero_point - f->offset) * conv_depth(p);

    return fabs((double)start) + 255 * (double)(zeros + sums->magnitudes);
}

/* The header words of `width` channels from `channel` on. */
static void pack_header(const struct hy_conv_params *p, const struct filter *f, const int32_t *bias,
                        size_t channel, size_t width, struct rescale_packer *packer, int32_t *to)
{
    struct rescale_channels channels[HY_PANEL_VECTORS] = {0};

    for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
        struct rescale_channels *c = &channels[i / HY_LANES];
        const size_t lane = i % HY_LANES;
        const struct weight_sums sums = sums_of(f, channel + i, conv_depth(p));
        c->start[lane] = start_of_sum(p, f, &sums, bias[channel + i]);
        c->multipliers[lane] = p->multipliers[channel + i];
        c->largest[lane] = largest_sum(p, f, &sums, c->start[lane]);
    }
    rescale_pack(packer, channels, width / HY_LANES, to);
}

/* Steps of a channel that are read at once: filters often lie apart by a power of two, and few such
 * lines stay in the first cache. */
#define PACKED_AT_ONCE 16

static void pack_step(const struct filter *f, const HY_FILTER_T *from, hy_dot_weight *to)
{
    if (sizeof *to == sizeof *from && f->offset == 0)
        memcpy(to, from, HY_DOT_GROUP * sizeof *to);
    else
        for (size_t g = 0; g < HY_DOT_GROUP; g++)
            to[g] = (hy_dot_weight)(from[g] - f->offset);
}

/* Whole steps of `width` channels, all of which exist, and whose depths are neighbours. */
static void pack_steps(const struct filter *f, size_t channel, size_t width, size_t from,
                       size_t steps, hy_dot_weight *to)
{
    const HY_FILTER_T *values = f->values + channel * f->channel_step + from;

    for (size_t first = 0, end; first < steps; first = end) {
        end = steps - first < PACKED_AT_ONCE ? steps : first + PACKED_AT_ONCE;
        for (size_t i = 0; i < width; i++)
            for (size_t step = first; step < end; step++)
                pack_step(f, values + i * f->channel_step + step * HY_DOT_GROUP,
                          to + (step * width + i) * HY_DOT_GROUP);
    }
}

static void pack_weights(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                         size_t width, hy_dot_weight *to)
{
    const size_t lines = conv_lines(p), depth = conv_line_depth(p);
    const bool neighbours = f->depth_step == 1 && channel + width <= p->out_c;
    const size_t whole = neighbours ? depth / HY_DOT_GROUP : 0;

    for (size_t line = 0; line < lines; line++) {
        pack_steps(f, channel, width, line * depth, whole, to);
        to += whole * width * HY_DOT_GROUP;
        for (size_t k = whole * HY_DOT_GROUP; k < depth; k += HY_DOT_GROUP)
            for (size_t i = 0; i < width; i++)
                for (size_t g = 0; g < HY_DOT_GROUP; g++) {
                    bool exists = channel + i < p->out_c && k + g < depth;
                    *to++ = exists ? weight_at(f, channel + i, line * depth + k + g) : 0;
                }
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
