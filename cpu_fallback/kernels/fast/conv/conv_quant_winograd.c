#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/rescale.h"
#include "cpu_fallback/kernels/fast/simd/rescale_offsets.h"

/*
 * CONV_2D in 8 bits with filters of 3x3, by minimal filtering: 36 products of 16 bits replace 144
 * of 8 bits; an instruction computes half as many of 16 bits. The sums are those of the direct
 * convolution, to the bit (conv_quant_winograd_transform.h). The headers of channels are the words
 * of rescale.h.
 */
#define IN_IS_SIGNED ((HY_T)-1 < 0)

#define PLANES 1
#include "cpu_fallback/kernels/fast/conv/conv_winograd_shorts.h"

/* The most channels for which the sum of the weight magnitudes of a channel fits 32 bits. */
#define MOST_CHANNELS (INT32_MAX / (9 * UINT8_MAX))

int HY_SIMD_FN(winograd_suits)(const struct hy_conv_params *p)
{
    return winograd_supports(p) && p->in_c > 0 && p->in_c % CHANNELS == 0 &&
           p->in_c <= MOST_CHANNELS;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* The largest magnitude of a sum of the channel for any input. */
static int64_t largest_sum(const struct hy_conv_params *p, const HY_FILTER_T *filter)
{
    const int64_t low = (IN_IS_SIGNED ? INT8_MIN : 0) - (int64_t)p->in_zero_point;
    const int64_t high = low + UINT8_MAX;
    const size_t count = conv_depth(p);
    int32_t above = 0, below = 0;

    for (size_t k = 0; k < count; k++) {
        const int32_t weight = filter[k] - p->filter_zero_point;
        above += weight > 0 ? weight : 0;
        below -= weight > 0 ? 0 : weight;
    }
    const int64_t most = above * high - below * low, least = above * low - below * high;
    return most > -least ? most : -least;
}

int HY_SIMD_FN(winograd_holds)(const struct hy_conv_params *p, const void *filter)
{
    const HY_FILTER_T *values = filter;

    if (conv_depth(p) * UINT8_MAX * UINT8_MAX < WINOGRAD_LIMIT)
        return true;
    for (size_t c = 0; c < p->out_c; c++)
        if (largest_sum(p, values + c * conv_depth(p)) >= WINOGRAD_LIMIT)
            return false;
    return true;
}

size_t HY_SIMD_FN(winograd_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * channel_words(p) * sizeof(int32_t);
}

static void pack_header(const struct hy_conv_params *p, const HY_FILTER_T *filter,
                        const int32_t *bias, size_t channel, size_t width,
                        struct rescale_packer *packer, int32_t *to)
{
    struct rescale_channels channels[HY_PANEL_VECTORS] = {0};

    for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
        struct rescale_channels *c = &channels[i / HY_LANES];
        c->start[i % HY_LANES] = bias[channel + i];
        c->multipliers[i % HY_LANES] = p->multipliers[channel + i];
        c->reach[i % HY_LANES] = (double)largest_sum(p, filter + (channel + i) * conv_depth(p));
    }
    rescale_pack(packer, channels, width / HY_LANES, to);
}

void HY_SIMD_FN(winograd_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                               void *packed)
{
    struct rescale_packer packer =
        rescale_packer_of((struct rescale_layer){false, IN_IS_SIGNED, p->out_zero_point});

    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t width = panel_width(p, c);
        int32_t *panel = (int32_t *)packed + c * channel_words(p);
        pack_header(p, filter, bias, c, width, &packer, panel);
        for (size_t lane = 0; lane < width; lane += HY_LANES)
            pack_vector(p, filter, c + lane, width, panel + HEADER_WORDS * width + lane);
    }
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

static inline vi load_channels(const HY_T *from)
{
    return vs_load_bytes(from, IN_IS_SIGNED);
}

static void transform_tile(const struct hy_conv_params *p, const HY_T *from, size_t line,
                           int16_t *to, size_t step)
{
    const vi zero_point = vs_set1(p->in_zero_point);

    for (size_t c = 0; c < p->in_c; c += CHANNELS)
        transform_inputs(from + c, load_channels, line, p->in_c, zero_point, to + c, step);
}

struct finish {
    struct rescale to_bytes;
};

/* The outputs of a tile, for one vector of channels. */
struct target {
    HY_T *out;
    size_t line, pixel, channels; /* distances of lines and of pixels */
    size_t lines, pixels;         /* existing ones */
    const struct rescale *to_bytes;
    struct rescale_headers headers;
    bool has_offsets; /* see rescale.h */
};

HY_ALWAYS_INLINE void finish_tile(const int32_t *sums, size_t position, const struct target *t)
{
    const vi start = vi_load(t->headers.of[0]);
    const struct rescale_numbers numbers = rescale_numbers_of(t->to_bytes, &t->headers);
    vi y[WINOGRAD_OUT][WINOGRAD_OUT];

    transform_sums(sums, position, y);
    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_OUT; i++) {
        if (i >= t->lines)
            return;
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            y[i][j] = vi_add(y[i][j], start);
        const vi bytes = t->has_offsets ? rescale(&numbers, t->to_bytes, &t->headers, y[i],
                                                  RESCALE_ONE_OFFSET, IN_IS_SIGNED)
                                        : rescale(&numbers, t->to_bytes, &t->headers, y[i],
                                                  RESCALE_EXACTLY, IN_IS_SIGNED);
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            if (j < t->pixels)
                vb_store_part_of(t->out + i * t->line + j * t->pixel, bytes, 1, (int)j,
                                 t->channels);
    }
}

/* Finishes all tiles of a strip for a vector of channels. Outputs start at `out`, and sums are
 * `width` apart. */
static void finish_vector(const struct hy_conv_params *p, const struct tile_chunk *s,
                          struct target *t, const int32_t *sums, size_t width, HY_T *out)
{
    struct tile_position at = s->first;

    for (size_t i = 0; i < s->tiles; i++, go_on(p, &at)) {
        t->out = out + ((at.image * p->out_h + at.y) * p->out_w + at.x) * p->out_c;
        t->lines = outputs_from(at.y, p->out_h);
        t->pixels = outputs_from(at.x, p->out_w);
        finish_tile(sums + i * width, s->sums_step, t);
    }
}

static void finish_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                         const struct finish *finish, const int32_t *panel, size_t channel,
                         HY_T *out)
{
    const size_t width = panel_width(p, channel);

    for (size_t v = 0; v < width / HY_LANES; v++, channel += HY_LANES) {
        const size_t left = p->out_c - channel;
        const int32_t *header = panel + v * HY_LANES;
        struct target t = {.line = (size_t)p->out_w * p->out_c,
                           .pixel = p->out_c,
                           .channels = left < HY_LANES ? left : HY_LANES,
                           .to_bytes = &finish->to_bytes,
                           .headers = {.of = {header, header, header, header}, .step = width},
                           .has_offsets = rescale_has_offsets(panel, width)};
        finish_vector(p, s, &t, s->sums + v * HY_LANES, width, out + channel);
    }
}

void HY_SIMD_FN(winograd)(const struct hy_conv_params *p, const void *in, const void *weights,
                          const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct finish finish = {
        rescale_of(false, p->activation.q_min, p->activation.q_max, p->out_zero_point)};
    const struct partition partition = partition_of(p, first, end);
    const unsigned before = vi_begin_floor();

    (void)bias;
    run(p, in, weights, out, scratch, &finish, &partition);
    vi_end_floor(before);
}
