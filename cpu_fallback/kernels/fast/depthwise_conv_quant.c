#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/depthwise_walk.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * DEPTHWISE_CONV_2D in 8 bits. Weights are packed less their zero point, one per 32-bit lane with
 * the upper half zero: the 16-bit multiply-add of a pair is then one product.
 *
 * The header of a packed vector of channels:
 *   where sums start in a whole window of raw inputs: bias - in_zero_point * (sum of weights)
 *   where they start in a cut window, whose inputs lose their zero point one by one: bias
 *   mantissa and exponent of the multiplier
 */
enum { START_WHOLE, START_CUT, MANTISSA, EXPONENT, HEADER_VECTORS };

int HY_SIMD_FN(depthwise_conv_suits)(const struct hy_conv_params *p)
{
    return depthwise_suits(p);
}

size_t HY_SIMD_FN(depthwise_conv_units)(const struct hy_conv_params *p)
{
    return p->in_c == 1 ? HY_SIMD_FN(conv_units)(p) : (size_t)p->batch * p->out_h;
}

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_packed_bytes)(p);
    return depthwise_vectors(p) * (HEADER_VECTORS + depthwise_taps(p)) * sizeof(vi);
}

size_t HY_SIMD_FN(depthwise_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return p->in_c == 1 ? HY_SIMD_FN(conv_scratch_bytes)(p) : 0;
}

/* Packs channel `c` into lane 0 of the vectors that begin at `to`. */
static void pack_channel(const struct hy_conv_params *p, const HY_FILTER_T *filter, int32_t bias,
                         size_t c, int32_t *to)
{
    size_t taps = depthwise_taps(p);
    uint32_t sum = 0;

    for (size_t tap = 0; tap < taps; tap++) {
        int32_t weight = filter[tap * p->out_c + c] - p->filter_zero_point;
        to[(HEADER_VECTORS + tap) * HY_LANES] = weight & 0xffff;
        sum += (uint32_t)weight;
    }
    to[START_WHOLE * HY_LANES] = (int32_t)((uint32_t)bias - (uint32_t)p->in_zero_point * sum);
    to[START_CUT * HY_LANES] = bias;
    to[MANTISSA * HY_LANES] = p->multipliers[c].mantissa;
    to[EXPONENT * HY_LANES] = p->multipliers[c].exponent;
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    size_t vector = (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;

    if (p->in_c == 1) {
        HY_SIMD_FN(single_channel_pack)(p, filter, bias, packed);
        return;
    }
    memset(packed, 0, HY_SIMD_FN(depthwise_conv_packed_bytes)(p));
    for (size_t c = 0; c < p->out_c; c++)
        pack_channel(p, filter, ((const int32_t *)bias)[c], c,
                     (int32_t *)packed + c / HY_LANES * vector + c % HY_LANES);
}

static inline vi load_inputs(const HY_T *from, size_t count)
{
#if defined(HY_S8)
    return vi_load_s8_part(from, count);
#else
    return vi_load_u8_part(from, count);
#endif
}

/*
 * `pixels` neighbours from column x on, which use the same taps; `channel` is the input at its
 * channel. `whole`: all taps of the filter.
 */
HY_ALWAYS_INLINE void convolve(const struct depthwise_line *line, int pixels, bool whole,
                               uint32_t x, struct hy_window columns, const HY_T *channel,
                               size_t count, const int32_t *weights, const struct vi_scale *scale,
                               HY_T *out)
{
    const struct hy_conv_params *p = line->p;
    const size_t step = (size_t)p->stride_w * p->in_c, out_step = p->out_c;
    const size_t tap_step = depthwise_tap_step(p), row_step = depthwise_row_step(p);
    const HY_T *row = channel + depthwise_first_tap(line, x, columns);
    const vi in_zero_point = vi_set1(whole ? 0 : p->in_zero_point);
    vi sums[HY_GROUP_PIXELS];

#pragma GCC unroll 4
    for (int q = 0; q < pixels; q++)
        sums[q] = vi_load(weights + (whole ? START_WHOLE : START_CUT) * HY_LANES);

    for (size_t i = line->rows.begin; i < line->rows.end; i++, row += row_step) {
        const int32_t *weight =
            weights + (HEADER_VECTORS + i * p->filter_w + columns.begin) * HY_LANES;
        const HY_T *from = row;
        for (size_t j = columns.begin; j < columns.end; j++, weight += HY_LANES, from += tap_step)
#pragma GCC unroll 4
            for (int q = 0; q < pixels; q++) {
                vi value = load_inputs(from + (size_t)q * step, count);
                value = whole ? value : vi_sub(value, in_zero_point);
                sums[q] = vi_multiply_add_16(value, vi_load(weight), sums[q]);
            }
    }

    const vi min = vi_set1(p->activation.q_min - p->out_zero_point);
    const vi max = vi_set1(p->activation.q_max - p->out_zero_point);
    const vi zero_point = vi_set1(p->out_zero_point);
#pragma GCC unroll 4
    for (int q = 0; q < pixels; q++) {
        vi scaled = vi_clamp(vi_scale_half_away(sums[q], scale), min, max);
        vi_store_bytes_part(out + (size_t)q * out_step, vi_add(scaled, zero_point), count);
    }
}

/* The pixel at column x, or a group of them, none of whose taps fall outside the image. */
HY_ALWAYS_INLINE void convolve_whole(const struct depthwise_line *line, int pixels, uint32_t x,
                                     const HY_T *channel, size_t count, const int32_t *weights,
                                     const struct vi_scale *scale, HY_T *out)
{
    const struct hy_window three = {0, 3}, all = {0, line->p->filter_w};

    if (line->p->filter_w == 3) /* the usual filter: its loop over columns is unrolled */
        convolve(line, pixels, true, x, three, channel, count, weights, scale, out);
    else
        convolve(line, pixels, true, x, all, channel, count, weights, scale, out);
}

/* A pixel with taps outside the image; where the filter has three columns, mostly one of them. */
HY_ALWAYS_INLINE void convolve_cut(const struct depthwise_line *line, uint32_t x,
                                   const HY_T *channel, size_t count, const int32_t *weights,
                                   const struct vi_scale *scale, HY_T *out)
{
    const struct hy_window columns = taps_of_column(line->p, x);
    const struct hy_window first_two = {0, 2}, last_two = {1, 3}, three = {0, 3};

    if (columns.begin == 1 && columns.end == 3)
        convolve(line, 1, false, x, last_two, channel, count, weights, scale, out);
    else if (columns.begin == 0 && columns.end == 2)
        convolve(line, 1, false, x, first_two, channel, count, weights, scale, out);
    else if (columns.begin == 0 && columns.end == 3)
        convolve(line, 1, false, x, three, channel, count, weights, scale, out);
    else
        convolve(line, 1, false, x, columns, channel, count, weights, scale, out);
}

/* One line for the channels from c on. */
static void convolve_line(const struct depthwise_line *line, size_t c, const HY_T *in,
                          const int32_t *weights, HY_T *out)
{
    const struct hy_conv_params *p = line->p;
    const HY_T *channel = in + line->image * p->in_c + c;
    const struct hy_window inner = line->inner, all = {0, p->filter_w};
    const struct vi_scale scale = vi_scale_from(vi_load(weights + MANTISSA * HY_LANES),
                                                vi_load(weights + EXPONENT * HY_LANES));
    const size_t count = channels_at(p, c);

    out += c;
    for (uint32_t x = 0; x < p->out_w;) {
        HY_T *pixel = out + (size_t)x * p->out_c;
        const bool is_inner = x >= inner.begin && x < inner.end;
        const bool is_group = is_inner && x + HY_GROUP_PIXELS <= inner.end;
        if (is_group && line->all_rows)
            convolve_whole(line, HY_GROUP_PIXELS, x, channel, count, weights, &scale, pixel);
        else if (is_group)
            convolve(line, HY_GROUP_PIXELS, false, x, all, channel, count, weights, &scale, pixel);
        else if (is_inner && line->all_rows)
            convolve_whole(line, 1, x, channel, count, weights, &scale, pixel);
        else
            convolve_cut(line, x, channel, count, weights, &scale, pixel);
        x += is_group ? HY_GROUP_PIXELS : 1;
    }
}

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    if (p->in_c == 1) {
        HY_SIMD_FN(single_channel)(p, in, weights, bias, out, scratch, first, end);
        return;
    }
    for (; first < end; first++) {
        struct depthwise_line line = depthwise_line_at(p, first);
        const int32_t *vector = weights;

        for (size_t c = 0; c < p->out_c; c += HY_LANES) {
            convolve_line(&line, c, in, vector, (HY_T *)out + first * p->out_w * p->out_c);
            vector += (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;
        }
    }
}
