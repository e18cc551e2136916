#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/depthwise_walk.h"
#include "cpu_fallback/kernels/fast/fast.h"

/* DEPTHWISE_CONV_2D in float32. The header of a packed vector of channels is its bias. */
#define HEADER_VECTORS 1

/* Distance of packed vectors of channels, in floats. */
static inline size_t vector_step(const struct hy_conv_params *p)
{
    return (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;
}

#include "cpu_fallback/kernels/fast/conv/depthwise_any.h"
#include "cpu_fallback/kernels/fast/conv/depthwise_three.h"

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_packed_bytes)(p);
    return depthwise_vectors(p) * vector_step(p) * sizeof(float);
}

/* Packs `count` channels, repeated if the repetitions fill the vector, and otherwise followed by
 * zeros. */
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

#include "cpu_fallback/kernels/fast/conv/depthwise_spread.h"

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
