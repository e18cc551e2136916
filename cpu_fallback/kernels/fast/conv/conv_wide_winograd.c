#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D of int16 data and int8 weights with filters of 3x3, by minimal filtering. An input is 256
 * times its upper byte plus its lower byte. Upper and lower bytes are transformed separately, like
 * 8-bit inputs, and multiplied by the same weights: 72 products of 16 bits replace 144. The sums of
 * the upper bytes are added 256 times to the others. The result is the sum of the direct
 * convolution, to the bit.
 *
 * The headers of a panel are the headers of each of its vectors of channels (wide_sums.h).
 */
#define PLANES       2
#define HEADER_WORDS (WIDE_FLAGS / HY_LANES + 4)
#include "cpu_fallback/kernels/fast/conv/conv_winograd_shorts.h"

static_assert(HEADER_WORDS * HY_LANES == WIDE_FLAGS + 4 * HY_LANES, "as wide_header_words()");

int HY_SIMD_FN(winograd_suits)(const struct hy_conv_params *p)
{
    return winograd_supports(p) && p->in_c > 0 && p->in_c % CHANNELS == 0;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* The largest magnitude of a sum of the channel. */
static int64_t reach_of(const struct hy_conv_params *p, const int8_t *filter)
{
    int64_t magnitudes = 0;

    for (size_t k = 0; k < conv_depth(p); k++)
        magnitudes += abs(filter[k]);
    return magnitudes * -(int64_t)INT16_MIN;
}

static_assert((int64_t)INT32_MAX / -INT16_MIN * UINT8_MAX < WINOGRAD_LIMIT,
              "sums of bytes are held where those of shorts have 32 bits");

int HY_SIMD_FN(winograd_holds)(const struct hy_conv_params *p, const void *filter)
{
    for (size_t c = 0; c < p->out_c; c++)
        if (reach_of(p, (const int8_t *)filter + c * conv_depth(p)) > INT32_MAX)
            return false;
    return true;
}

size_t HY_SIMD_FN(winograd_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * channel_words(p) * sizeof(int32_t);
}

/* Packs the header of a vector of channels; the first is `channel`. */
static void pack_header(const struct hy_conv_params *p, const int8_t *filter, const int64_t *bias,
                        size_t channel, int32_t *to)
{
    const size_t left = p->out_c - channel, count = left < HY_LANES ? left : HY_LANES;
    struct wide_channel channels[HY_LANES];

    for (size_t i = 0; i < count; i++)
        channels[i] = (struct wide_channel){bias[channel + i], p->multipliers[channel + i],
                                            reach_of(p, filter + (channel + i) * conv_depth(p))};
    memset(to, 0, wide_header_words(HY_LANES) * sizeof *to);
    wide_header_pack(channels, count, HY_LANES, to);
}

void HY_SIMD_FN(winograd_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                               void *packed)
{
    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t width = panel_width(p, c);
        int32_t *panel = (int32_t *)packed + c * channel_words(p);
        for (size_t lane = 0; lane < width; lane += HY_LANES) {
            pack_header(p, filter, bias, c + lane, panel + HEADER_WORDS * lane);
            pack_vector(p, filter, c + lane, width, panel + HEADER_WORDS * width + lane);
        }
    }
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

static inline vi load_upper(const int16_t *from)
{
    return vs_upper_bytes(vi_load(from));
}

static inline vi load_lower(const int16_t *from)
{
    return vs_lower_bytes(vi_load(from));
}

static void transform_tile(const struct hy_conv_params *p, const int16_t *from, size_t line,
                           int16_t *to, size_t step)
{
    const vi zero = vi_set1(0);

    for (size_t c = 0; c < p->in_c; c += CHANNELS) {
        transform_inputs(from + c, load_upper, line, p->in_c, zero, to + c, step);
        transform_inputs(from + c, load_lower, line, p->in_c, zero, to + p->in_c + c, step);
    }
}

struct finish {
    int32_t min, max;
};

/* The outputs of a tile, for one vector of channels. */
struct target {
    const struct hy_conv_params *p;
    int16_t *out;
    size_t lines, pixels, channels; /* existing ones */
    struct wide_header header;
};

typedef vi outputs[WINOGRAD_OUT][WINOGRAD_OUT];

static __attribute__((noinline)) void transform_plane(const int32_t *sums, size_t position,
                                                      outputs y)
{
    transform_sums(sums, position, y);
}

static void store_wide(const struct target *t, vi sums, int16_t *out)
{
    alignas(64) int32_t narrow[HY_LANES];
    int64_t wide[HY_LANES];

    vi_store(narrow, sums);
    memcpy(wide, t->header.biases, sizeof wide);
    wide_add(narrow, HY_LANES, wide);
    wide_store(t->p, wide, &t->header, t->channels, out);
}

static void finish_tile(const struct finish *finish, const int32_t *sums, size_t width,
                        size_t position, const struct target *t)
{
    const struct wide_scale scale = wide_scale_at(&t->header, 0);
    const vi biases = vi_load(t->header.biases);
    outputs upper, lower;

    transform_plane(sums, position, upper);
    transform_plane(sums + width, position, lower);
    for (size_t i = 0; i < t->lines; i++)
        for (size_t j = 0; j < t->pixels; j++) {
            int16_t *out = t->out + (i * t->p->out_w + j) * t->p->out_c;
            const vi sum = vi_add(vi_shift_left_by(upper[i][j], 8), lower[i][j]);
            if (t->header.is_narrow)
                wide_store_one(wide_rescale(vi_add(sum, biases), &scale), finish->min, finish->max,
                               t->channels, out);
            else
                store_wide(t, sum, out);
        }
}

static void finish_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                         const struct finish *finish, const int32_t *panel, size_t channel,
                         int16_t *out)
{
    const size_t width = panel_width(p, channel);

    for (size_t lane = 0; lane < width; lane += HY_LANES) {
        const size_t left = p->out_c - channel - lane;
        struct target t = {.p = p,
                           .channels = left < HY_LANES ? left : HY_LANES,
                           .header = wide_header_at(panel + HEADER_WORDS * lane, HY_LANES)};
        struct tile_position at = s->first;
        for (size_t i = 0; i < s->tiles; i++, go_on(p, &at)) {
            t.out =
                out + ((at.image * p->out_h + at.y) * p->out_w + at.x) * p->out_c + channel + lane;
            t.lines = outputs_from(at.y, p->out_h);
            t.pixels = outputs_from(at.x, p->out_w);
            finish_tile(finish, s->sums + i * PLANES * width + lane, width, s->sums_step, &t);
        }
    }
}

void HY_SIMD_FN(winograd)(const struct hy_conv_params *p, const void *in, const void *weights,
                          const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct finish finish = {p->activation.q_min, p->activation.q_max};
    const struct partition partition = partition_of(p, first, end);

    (void)bias;
    run(p, in, weights, out, scratch, &finish, &partition);
}
