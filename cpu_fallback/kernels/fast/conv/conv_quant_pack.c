#include "cpu_fallback/kernels/fast/conv/conv_quant.h"

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/fast/simd/rescale_offsets.h"

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return (conv_shared_words(p) + conv_columns(p) / HY_LANES * conv_vector_words(p)) *
           sizeof(int32_t);
}

static int8_t weight_at(const struct filter *f, size_t channel, size_t k)
{
    const HY_FILTER_T *run = run_of(f, channel, k / f->run);

    return (int8_t)(run[k % f->run * f->depth_step] - WEIGHT_OFFSET);
}

/* Sums over the weights of one channel. */
struct weight_sums {
    uint32_t sum; /* modulo 2^32 */
    uint64_t magnitudes;
};

#define SUMMED_AT_ONCE 65536u /* number of bytes whose sum fits 32 bits */

/* `step` is a compile-time constant for neighbouring weights, so that the compiler vectorises. */
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

static struct weight_sums sums_of(const struct filter *f, size_t channel)
{
    struct weight_sums sums = {0};

    for (size_t i = 0; i < f->rows * f->columns; i++) {
        const HY_FILTER_T *run = run_of(f, channel, i);
        const struct weight_sums of_run = f->depth_step == 1
                                              ? sum_weights(run, 1, f->run)
                                              : sum_weights(run, f->depth_step, f->run);
        sums.sum += of_run.sum;
        sums.magnitudes += of_run.magnitudes;
    }
    return sums;
}

/* The part in brackets of the formula in conv_quant.h for one channel. */
static int32_t start_of_sum(const struct hy_conv_params *p, const struct weight_sums *sums,
                            int32_t bias)
{
    uint32_t zx = (uint32_t)(p->in_zero_point - dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED));
    uint32_t zw = (uint32_t)(p->filter_zero_point - WEIGHT_OFFSET);

    return (int32_t)((uint32_t)bias - zx * sums->sum + (uint32_t)conv_depth(p) * zx * zw);
}

/* The largest distance of any sum of a channel from its start. Activations have 8 bits, less a
 * possible offset. */
static double reach_of(const struct hy_conv_params *p, const struct weight_sums *sums)
{
    const uint64_t zeros = (uint64_t)abs(p->filter_zero_point - WEIGHT_OFFSET) * conv_depth(p);

    return 255 * (double)(zeros + sums->magnitudes);
}

/* Constants for packing the headers of a layer. */
struct header_packer {
    struct rescale_packer rescale;
    double reach; /* largest magnitude of any sum of the channels so far */
};

static struct header_packer header_packer_of(const struct hy_conv_params *p, bool halves_away)
{
    const struct rescale_layer layer = {halves_away, HY_IN_IS_SIGNED, p->out_zero_point};

    return (struct header_packer){.rescale = rescale_packer_of(layer)};
}

/* Packs the header words of `width` channels from `channel` on. If words are shared, START is
 * incomplete until pack_shared() adds its part. */
static void pack_header(const struct hy_conv_params *p, const struct filter *f, const int32_t *bias,
                        size_t channel, size_t width, struct header_packer *packer, int32_t *to)
{
    struct rescale_channels channels[HY_PANEL_VECTORS] = {0};

    for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
        struct rescale_channels *c = &channels[i / HY_LANES];
        const size_t lane = i % HY_LANES;
        const struct weight_sums sums = sums_of(f, channel + i);
        const size_t of_phase = (channel + i) % f->channels;
        c->start[lane] = start_of_sum(p, &sums, bias[of_phase]);
        c->multipliers[lane] = p->multipliers[of_phase];
        c->reach[lane] = reach_of(p, &sums);
        packer->reach = fmax(packer->reach, fabs((double)c->start[lane]) + c->reach[lane]);
    }
    if (!p->has_one_multiplier)
        rescale_pack(&packer->rescale, channels, width / HY_LANES, to);
    for (size_t i = 0; p->has_one_multiplier && i < width; i++)
        to[i] = channels[i / HY_LANES].start[i % HY_LANES];
}

/* Packs the words shared by all channels, before the panels, once the panels are packed. A panel
 * has `vector_words` words for each of its vectors. The correction of START by rescaling is the
 * same for all channels, too. */
static void pack_shared(const struct hy_conv_params *p, size_t vector_words,
                        struct header_packer *packer, int32_t *packed)
{
    struct rescale_channels all[HY_PANEL_VECTORS] = {0};
    int32_t *to = packed;

    if (!p->has_one_multiplier)
        return;
    for (size_t i = 0; i < HY_PANEL; i++) {
        all[i / HY_LANES].multipliers[i % HY_LANES] = p->multipliers[0];
        all[i / HY_LANES].reach[i % HY_LANES] = packer->reach;
    }
    for (int vectors = 2; vectors > 0; vectors--, to += conv_shared_words_of(p, 2))
        if (conv_shared_words_of(p, vectors) > 0)
            rescale_pack(&packer->rescale, all, (size_t)vectors, to);
    const uint32_t shift = (uint32_t)packed[START];
    int32_t *panel = packed + conv_shared_words(p);
    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t width = panel_width(p, c);
        for (size_t i = 0; i < width; i++)
            panel[i] = (int32_t)((uint32_t)panel[i] + shift);
        panel += width / HY_LANES * vector_words;
    }
}

/* Steps of a channel read at once. Filters are often a power of two apart, and the first-level
 * cache keeps few such lines. */
#define PACKED_AT_ONCE 16

static void pack_group(const HY_FILTER_T *from, int8_t *to)
{
    if (WEIGHT_OFFSET == 0)
        memcpy(to, from, HY_DOT_GROUP);
    else
        for (size_t g = 0; g < HY_DOT_GROUP; g++)
            to[g] = (int8_t)(from[g] - WEIGHT_OFFSET);
}

/* Packs whole steps of `width` existing channels, from `values` on. */
static void pack_steps(const struct filter *f, const HY_FILTER_T *values, size_t width,
                       size_t steps, int8_t *to)
{
    const size_t step_bytes = width * HY_DOT_GROUP;
    size_t step = 0;

#if defined(DOT_TRANSPOSED_STEPS)
    for (; step + DOT_TRANSPOSED_STEPS <= steps; step += DOT_TRANSPOSED_STEPS)
        for (size_t i = 0; i < width; i += HY_LANES)
            dot_transpose(values + i * f->channel_step + step * HY_DOT_GROUP, f->channel_step,
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

/* The number of whole steps from depth `at` on; `left` depths are left in the line, whose weights
 * are neighbours. */
static size_t whole_steps(const struct filter *f, size_t at, size_t left)
{
    const size_t of_run = f->run - at % f->run;

    return (left < of_run ? left : of_run) / HY_DOT_GROUP;
}

/* Packs one step, with weights of zero for missing depths and channels. */
static void pack_any_step(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                          size_t width, size_t at, size_t left, int8_t *to)
{
    for (size_t i = 0; i < width; i++)
        for (size_t g = 0; g < HY_DOT_GROUP; g++)
            *to++ = channel + i < p->out_c && g < left ? weight_at(f, channel + i, at + g) : 0;
}

static void pack_weights(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                         size_t width, int8_t *to)
{
    const size_t lines = conv_lines(p), depth = conv_line_depth(p);
    const size_t padding = (conv_line_steps(p) - steps_of(depth)) * width * HY_DOT_GROUP;
    const bool neighbours = f->depth_step == 1 && channel + width <= p->out_c &&
                            channel % f->channels + width <= f->channels;

    for (size_t line = 0; line < lines; line++) {
        for (size_t k = 0, steps; k < depth; k += steps * HY_DOT_GROUP) {
            const size_t at = line * depth + k;
            steps = neighbours ? whole_steps(f, at, depth - k) : 0;
            if (steps > 0) {
                pack_steps(f, run_of(f, channel, at / f->run) + at % f->run, width, steps, to);
            } else {
                pack_any_step(p, f, channel, width, at, depth - k, to);
                steps = 1;
            }
            to += steps * width * HY_DOT_GROUP;
        }
        memset(to, 0, padding);
        to += padding;
    }
}

static void pack(const struct hy_conv_params *p, const struct filter *f, const int32_t *bias,
                 bool halves_away, int32_t *packed)
{
    struct header_packer packer = header_packer_of(p, halves_away);
    int32_t *to = packed + conv_shared_words(p);

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        size_t width = panel_width(p, channel);
        pack_header(p, f, bias, channel, width, &packer, to);
        to += conv_header_words(p) * width;
        pack_weights(p, f, channel, width, (int8_t *)to);
        to += conv_steps(p) * STEP_WORDS * (width / HY_LANES);
    }
    pack_shared(p, conv_vector_words(p), &packer, packed);
}

#if !defined(HY_AMX) /* not used by single rows and depthwise convolutions */
size_t HY_SIMD_FN(conv_row_packed_bytes)(const struct hy_conv_params *p)
{
    return (conv_shared_words(p) + conv_columns(p) * conv_header_words(p)) * sizeof(int32_t);
}

void HY_SIMD_FN(conv_row_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                               void *packed)
{
    struct header_packer packer = header_packer_of(p, false);
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);
    int32_t *to = (int32_t *)packed + conv_shared_words(p);

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        const size_t width = panel_width(p, channel);
        pack_header(p, &f, bias, channel, width, &packer, to);
        to += conv_header_words(p) * width;
    }
    pack_shared(p, conv_header_words(p) * HY_LANES, &packer, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const struct filter f = plain_filter(p, filter, 1, p->out_c);
    pack(p, &f, bias, true, packed);
}
#endif

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);
    pack(p, &f, bias, false, packed);
}

void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *filter,
                                  const void *bias, void *packed)
{
    pack(p, filter, bias, true, packed);
}
