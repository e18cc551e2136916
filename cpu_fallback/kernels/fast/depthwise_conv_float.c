#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/depthwise_walk.h"
#include "cpu_fallback/kernels/fast/fast.h"

/* DEPTHWISE_CONV_2D in float32. The header of a packed vector of channels is its bias. */
#define HEADER_VECTORS 1

#include "cpu_fallback/kernels/fast/depthwise_three.h"

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_packed_bytes)(p);
    return depthwise_vectors(p) * (HEADER_VECTORS + depthwise_taps(p)) * sizeof(vf);
}

/* `count` channels, repeated where that fills the vector, else followed by zeros. */
static void pack_vector(const struct hy_conv_params *p, const float *from, size_t count, float *to)
{
    const size_t filled = count * depthwise_repeats(p);

    for (size_t i = 0; i < HY_LANES; i++)
        to[i] = i < filled ? from[i % count] : 0;
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    float *to = packed;

    if (p->in_c == 1) {
        HY_SIMD_FN(single_channel_pack)(p, filter, bias, packed);
        return;
    }
    for (size_t c = 0; c < p->out_c; c += HY_LANES) {
        pack_vector(p, (const float *)bias + c, channels_at(p, c), to);
        to += HY_LANES;
        for (size_t tap = 0; tap < depthwise_taps(p); tap++, to += HY_LANES)
            pack_vector(p, (const float *)filter + tap * p->out_c + c, channels_at(p, c), to);
    }
}

/* `pixels` neighbours from column x on, which use the same taps; `channel` input, at its channel.
 */
HY_ALWAYS_INLINE void convolve(const struct depthwise_line *line, int pixels, uint32_t x,
                               struct hy_window columns, const float *channel, size_t count,
                               const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    const size_t step = (size_t)p->stride_w * p->in_c;
    const size_t tap_step = depthwise_tap_step(p), row_step = depthwise_row_step(p);
    const float *row = channel + depthwise_first_tap(line, x, columns);
    vf sums[HY_GROUP_PIXELS], min = vf_set1(p->activation.min), max = vf_set1(p->activation.max);

    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        sums[q] = vf_load(weights);

    for (size_t i = line->rows.begin; i < line->rows.end; i++, row += row_step) {
        const float *weight =
            weights + (HEADER_VECTORS + i * p->filter_w + columns.begin) * HY_LANES;
        const float *from = row;
        for (size_t j = columns.begin; j < columns.end; j++, weight += HY_LANES, from += tap_step) {
            HY_UNROLL(4)
            for (int q = 0; q < pixels; q++)
                sums[q] = vf_multiply_add(vf_load_part(from + (size_t)q * step, count),
                                          vf_load(weight), sums[q]);
        }
    }
    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        vf_store_part(out + (size_t)q * p->out_c, vf_clamp(sums[q], min, max), count);
}

/* One line for the channels from c on. */
static void convolve_line(const struct depthwise_line *line, size_t c, const float *in,
                          const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    const float *channel = in + line->image * p->in_c + c;
    struct hy_window inner = line->inner, all = {0, p->filter_w};
    size_t count = channels_at(p, c);

    for (size_t x = 0; x < p->out_w;) {
        float *pixel = out + x * p->out_c + c;
        if (x >= inner.begin && x + HY_GROUP_PIXELS <= inner.end) {
            convolve(line, HY_GROUP_PIXELS, (uint32_t)x, all, channel, count, weights, pixel);
            x += HY_GROUP_PIXELS;
        } else {
            convolve(line, 1, (uint32_t)x, taps_of_column(p, (uint32_t)x), channel, count, weights,
                     pixel);
            x++;
        }
    }
}

/* One line, whatever its filter. */
static void convolve_all(const struct depthwise_line *line, const float *in, const float *weights,
                         float *out)
{
    const struct hy_conv_params *p = line->p;

    for (size_t c = 0; c < p->out_c; c += HY_LANES) {
        convolve_line(line, c, in, weights, out);
        weights += (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;
    }
}

static inline size_t plain_units(const struct hy_conv_params *p)
{
    return (size_t)p->batch * p->out_h;
}

static inline size_t plain_scratch_bytes(const struct hy_conv_params *p)
{
    (void)p;
    return 0;
}

static void plain_conv(const struct hy_conv_params *p, const float *in, const float *weights,
                       float *out, void *scratch, size_t first, size_t end)
{
    const bool three = is_three(p);

    (void)scratch;
    for (size_t count; first < end; first += count) {
        const struct depthwise_line line = depthwise_line_at(p, first);
        float *to = out + first * p->out_w * p->out_c;

        count = three ? lines_alike(&line, end - first) : 1;
        if (three && line.rows.begin < line.rows.end)
            convolve_alike(&line, count, in, weights, to);
        else
            for (size_t i = 0; i < count; i++)
                convolve_all(&line, in, weights, to + i * p->out_w * p->out_c);
    }
}

#include "cpu_fallback/kernels/fast/depthwise_spread.h"

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    if (p->in_c == 1)
        HY_SIMD_FN(conv)(p, in, weights, bias, out, scratch, first, end);
    else if (is_spread(p))
        spread_conv(p, in, weights, out, scratch, first, end);
    else
        plain_conv(p, in, weights, out, scratch, first, end);
}
