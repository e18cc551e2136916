#include "cpu_fallback/kernels/fast/conv_quant.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/fast/rescale_offsets.h"

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) / HY_LANES * conv_vector_words(p) * sizeof(int32_t);
}

/* A filter and how far its channels and its depths lie apart. */
struct filter {
    const HY_FILTER_T *values;
    size_t channel_step, depth_step;
};

static int8_t weight_at(const struct filter *f, size_t channel, size_t k)
{
    return (int8_t)(f->values[channel * f->channel_step + k * f->depth_step] - WEIGHT_OFFSET);
}

/* Of the weights of one channel. */
struct weight_sums {
    uint32_t sum; /* modulo 2^32 */
    uint64_t magnitudes;
};

#define SUMMED_AT_ONCE 65536u /* bytes, of which 32 bits hold the sum */

/* `step`: a constant for the compiler where weights are neighbours, so that vectors add them. */
HY_ALWAYS_INLINE struct weight_sums sum_weights(const HY_FILTER_T *values, size_t step,
                                                size_t count)
{
    struct weight_sums sums = {0};

    for (size_t first = 0; first < count; first += SUMMED_AT_ONCE) {
        const size_t left = count - first;
        const size_t end = first + (left < SUMMED_AT_ONCE ? left : SUMMED_AT_ONCE);
        uint32_t sum = 0, magnitudes = 0;
        for (size_t k = first; k < end; k++) {
            const int32_t weight = values[k * step] - WEIGHT_OFFSET;
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

    return f->depth_step == 1 ? sum_weights(values, 1, depth)
                              : sum_weights(values, f->depth_step, depth);
}

/* The part in brackets of the formula in conv_quant.h for one channel. */
static int32_t start_of_sum(const struct hy_conv_params *p, const struct weight_sums *sums,
                            int32_t bias)
{
    uint32_t zx = (uint32_t)(p->in_zero_point - dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED));
    uint32_t zw = (uint32_t)(p->filter_zero_point - WEIGHT_OFFSET);

    return (int32_t)((uint32_t)bias - zx * sums->sum + (uint32_t)conv_depth(p) * zx * zw);
}

/* No sum of a channel is further from its start: activations take 8 bits, less an offset that they
 * may have. */
static double reach_of(const struct hy_conv_params *p, const struct weight_sums *sums)
{
    const uint64_t zeros = (uint64_t)abs(p->filter_zero_point - WEIGHT_OFFSET) * conv_depth(p);

    return 255 * (double)(zeros + sums->magnitudes);
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
        c->start[lane] = start_of_sum(p, &sums, bias[channel + i]);
        c->multipliers[lane] = p->multipliers[channel + i];
        c->reach[lane] = reach_of(p, &sums);
    }
    rescale_pack(packer, channels, width / HY_LANES, to);
}

/* Steps of a channel that are read at once: filters often lie apart by a power of two, and few such
 * lines stay in the first cache. */
#define PACKED_AT_ONCE 16

static void pack_group(const HY_FILTER_T *from, int8_t *to)
{
    if (WEIGHT_OFFSET == 0)
        memcpy(to, from, HY_DOT_GROUP);
    else
        for (size_t g = 0; g < HY_DOT_GROUP; g++)
            to[g] = (int8_t)(from[g] - WEIGHT_OFFSET);
}

/* Whole steps of `width` channels, all of which exist, and whose depths are neighbours. */
static void pack_steps(const struct filter *f, size_t channel, size_t width, size_t from,
                       size_t steps, int8_t *to)
{
    const HY_FILTER_T *values = f->values + channel * f->channel_step + from;
    const size_t step_bytes = width * HY_DOT_GROUP;
    size_t step = 0;

#if defined(DOT_TURNED_STEPS)
    for (; step + DOT_TURNED_STEPS <= steps; step += DOT_TURNED_STEPS)
        for (size_t i = 0; i < width; i += HY_LANES)
            dot_turn(values + i * f->channel_step + step * HY_DOT_GROUP, f->channel_step,
                     WEIGHT_OFFSET, to + step * step_bytes + i * HY_DOT_GROUP, step_bytes);
#endif
    for (size_t end; step < steps; step = end) {
        end = steps - step < PACKED_AT_ONCE ? steps : step + PACKED_AT_ONCE;
        for (size_t i = 0; i < width; i++)
            for (size_t k = step; k < end; k++)
                pack_group(values + i * f->channel_step + k * HY_DOT_GROUP,
                           to + k * step_bytes + i * HY_DOT_GROUP);
    }
}

static void pack_weights(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                         size_t width, int8_t *to)
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
        pack_weights(p, f, channel, width, (int8_t *)to);
        to += conv_steps(p) * STEP_WORDS * (width / HY_LANES);
    }
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    const struct filter f = {filter, conv_depth(p), 1};
    pack(p, &f, bias, false, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const struct filter f = {filter, 1, p->out_c};
    pack(p, &f, bias, true, packed);
}
