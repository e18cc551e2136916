#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * DEPTHWISE_CONV_2D of int16 data and int8 weights, with as many outputs as inputs: a group of two
 * vectors of channels at a time. Taps are processed in pairs with interleaved inputs: each lane of
 * 32 bits has two inputs of one channel. A pair is two lines, or two columns of the last line if
 * the number of lines is odd. A tap outside the image reads zeros.
 *
 * A group with capacity for several pixels holds several pixels if their inputs are neighbours. If
 * the channels do not fill groups, the channels repeat over several groups.
 *
 * A packed group is the header of its channels (wide_sums.h), followed by the weights of its
 * channels for each pair of taps, in pairs of 16 bits.
 */
#define GROUP ((size_t)2 * HY_LANES)

/* The most taps whose sum fits 32 bits. */
#define MOST_TAPS 510 /* even, because the last pair may have one tap */

/* Largest number of groups after which channels start again at the first. */
#define MOST_ROUND 8

static size_t taps_of(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w;
}

static size_t pairs_of(const struct hy_conv_params *p)
{
    return (taps_of(p) + 1) / 2;
}

/* The number of a tap; the number of its pair is half of it. */
static inline size_t tap_at(const struct hy_conv_params *p, size_t i, size_t j)
{
    return i < p->filter_h / 2 * 2 ? (i / 2 * p->filter_w + j) * 2 + i % 2 : i * p->filter_w + j;
}

/* 32-bit words of a group. */
static size_t group_words(const struct hy_conv_params *p)
{
    return wide_header_words(GROUP) + pairs_of(p) * GROUP;
}

/* Elements of a line after which a group starts with the first channel again: a pixel, or, if
 * pixels are short, as many pixels as fill groups. */
static size_t round_of(const struct hy_conv_params *p)
{
    const size_t channels = p->out_c;
    size_t groups = 1;

    if (channels >= GROUP)
        return channels;
    while (groups <= MOST_ROUND && groups * GROUP % channels != 0)
        groups++;
    return groups <= MOST_ROUND ? groups * GROUP : channels;
}

static size_t groups_of(const struct hy_conv_params *p)
{
    return (round_of(p) + GROUP - 1) / GROUP;
}

int HY_SIMD_FN(depthwise_conv_suits)(const struct hy_conv_params *p)
{
    return p->in_c == p->out_c && taps_of(p) <= MOST_TAPS;
}

size_t HY_SIMD_FN(depthwise_conv_units)(const struct hy_conv_params *p)
{
    return (size_t)p->batch * p->out_h;
}

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    return groups_of(p) * group_words(p) * sizeof(int32_t);
}

/* Neighbouring output pixels of a line with the same tap columns inside the image. */
struct piece {
    size_t x, pixels;
    struct hy_window columns;
};

/* The scratch holds, for each piece, its struct and the addresses of its taps, and a line of zeros.
 * A line has at most as many pieces as pixels. */
size_t HY_SIMD_FN(depthwise_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    const size_t taps = 2 * pairs_of(p) * sizeof(int16_t *);

    return p->out_w * (sizeof(struct piece) + taps) + (size_t)p->in_w * p->in_c * sizeof(int16_t);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Packs the weights of channel `c`, at `place` in its group. Returns the sum of their
 * magnitudes. */
static int64_t pack_channel(const struct hy_conv_params *p, const int8_t *filter, size_t c,
                            size_t position, int16_t *to)
{
    int64_t magnitudes = 0;

    for (size_t i = 0; i < p->filter_h; i++)
        for (size_t j = 0; j < p->filter_w; j++) {
            const int8_t weight = filter[(i * p->filter_w + j) * p->out_c + c];
            const size_t tap = tap_at(p, i, j);
            to[(tap / 2 * GROUP + position) * 2 + tap % 2] = weight;
            magnitudes += abs(weight);
        }
    return magnitudes;
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const size_t round = round_of(p);
    int32_t *to = packed;

    memset(packed, 0, HY_SIMD_FN(depthwise_conv_packed_bytes)(p));
    for (size_t first = 0; first < round; first += GROUP, to += group_words(p)) {
        const size_t count = round - first < GROUP ? round - first : GROUP;
        int16_t *weights = (int16_t *)(to + wide_header_words(GROUP));
        struct wide_channel channels[GROUP];
        for (size_t i = 0; i < count; i++) {
            const size_t c = (first + i) % p->out_c;
            const int64_t magnitudes = pack_channel(p, filter, c, wide_index(i, GROUP), weights);
            channels[i] = (struct wide_channel){((const int64_t *)bias)[c], p->multipliers[c],
                                                magnitudes * -(int64_t)INT16_MIN};
        }
        wide_header_pack(channels, count, GROUP, to);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A line of outputs. */
struct line {
    const struct hy_conv_params *p;
    const int32_t *packed;
    const struct piece *pieces;
    const int16_t **taps; /* taps of the first pixel of each piece */
    size_t count, pairs;
    size_t round, step; /* outputs per repetition of groups, and distance of their inputs */
    int16_t *out;
};

/* One group of a line: `count` outputs of each round, from number `first` on. */
struct part {
    const struct line *line;
    const int32_t *packed;
    size_t first, count;
};

struct sums {
    vi first, second; /* sums of channels in the order of a narrow group */
};

static inline vi load_some(const int16_t *from, size_t count)
{
    return count == GROUP ? vi_load(from) : vs_load_part(from, count);
}

/* Adds the products of a pair of taps; inputs start at `from` under each tap. */
HY_ALWAYS_INLINE struct sums add_pair(const int16_t *const *pair, size_t from, size_t count,
                                      vi first, vi second, struct sums sums)
{
    const vi a = load_some(pair[0] + from, count), b = load_some(pair[1] + from, count);

    return (struct sums){dot_in_place(sums.first, vb_zip_low(a, b, 2), first),
                         dot_in_place(sums.second, vb_zip_high(a, b, 2), second)};
}

HY_ALWAYS_INLINE struct sums add_pairs(const int16_t *const *taps, size_t pairs, size_t from,
                                       size_t count, const int32_t *weights, struct sums sums)
{
    for (size_t k = 0; k < pairs; k++, weights += GROUP)
        sums = add_pair(taps + 2 * k, from, count, vi_load(weights), vi_load(weights + HY_LANES),
                        sums);
    return sums;
}

/* Number of pairs of a 3x3 filter; their weights stay in registers if registers are enough. */
#define FEW_PAIRS 5

/* The constants of a narrow group, besides weights. */
struct narrow {
    struct wide_scale first, second;
    struct sums biases;
    int32_t min, max;
};

static inline struct narrow narrow_at(const struct hy_conv_params *p, const int32_t *packed)
{
    const struct wide_header h = wide_header_at(packed, GROUP);

    return (struct narrow){.first = wide_scale_at(&h, 0),
                           .second = wide_scale_at(&h, HY_LANES),
                           .biases = {vi_load(h.biases), vi_load(h.biases + HY_LANES)},
                           .min = p->activation.q_min,
                           .max = p->activation.q_max};
}

static inline void store_narrow(const struct narrow *n, struct sums sums, size_t count,
                                int16_t *out)
{
    wide_store_two(wide_rescale(sums.first, &n->first), wide_rescale(sums.second, &n->second),
                   n->min, n->max, count, out);
}

#include "cpu_fallback/kernels/fast/conv/depthwise_wide_three.h"

/* Number of pairs of a 3x3 filter; their weights stay in registers if registers are enough. */
#define FEW_PAIRS 5

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The sums of a whole group of outputs; `few` holds the weights of FEW_PAIRS pairs. */
HY_ALWAYS_INLINE struct sums sum_group(struct sums sums, const int16_t *const *taps, size_t pairs,
                                       size_t from, const int32_t *weights, const vi few[])
{
    if (pairs != FEW_PAIRS)
        return add_pairs(taps, pairs, from, GROUP, weights, sums);
    HY_UNROLL(5)
    for (size_t k = 0; k < FEW_PAIRS; k++)
        sums = add_pair(taps + 2 * k, from, GROUP, few[2 * k], few[2 * k + 1], sums);
    return sums;
}

/* Computes a narrow group. */
HY_ALWAYS_INLINE void convolve_part(const struct part *part, size_t pairs)
{
    const struct line *line = part->line;
    const struct narrow n = narrow_at(line->p, part->packed);
    const int32_t *weights = part->packed + wide_header_words(GROUP);
    const int16_t *const *taps = line->taps;
    vi few[2 * FEW_PAIRS];

    if (pairs == FEW_PAIRS) {
        HY_UNROLL(10)
        for (size_t k = 0; k < 2 * FEW_PAIRS; k++)
            few[k] = vi_load(weights + k * HY_LANES);
    }
    for (size_t i = 0; i < line->count; i++, taps += 2 * pairs) {
        const struct piece *piece = &line->pieces[i];
        const size_t end = piece->pixels * line->p->out_c;
        int16_t *out = line->out + piece->x * line->p->out_c;
        for (size_t at = part->first, from = at; at < end; at += line->round, from += line->step) {
            const size_t count = smaller(end - at, part->count);
            if (count == GROUP)
                store_narrow(&n, sum_group(n.biases, taps, pairs, from, weights, few), GROUP,
                             out + at);
            else
                store_narrow(&n, add_pairs(taps, pairs, from, count, weights, n.biases), count,
                             out + at);
        }
    }
}

/* Computes a wide group, which is rare. */
static __attribute__((noinline)) void convolve_wide_part(const struct part *part)
{
    const struct line *line = part->line;
    const struct wide_header h = wide_header_at(part->packed, GROUP);
    const int32_t *weights = part->packed + wide_header_words(GROUP);
    const int16_t *const *taps = line->taps;
    alignas(64) int32_t narrow[GROUP];
    int64_t wide[GROUP];

    for (size_t i = 0; i < line->count; i++, taps += 2 * line->pairs) {
        const struct piece *piece = &line->pieces[i];
        const size_t count = piece->pixels * line->p->out_c;
        int16_t *out = line->out + piece->x * line->p->out_c;
        for (size_t at = part->first, from = at; at < count;
             at += line->round, from += line->step) {
            struct sums sums = {vi_set1(0), vi_set1(0)};
            const size_t some = smaller(count - at, part->count);
            sums = add_pairs(taps, line->pairs, from, some, weights, sums);
            vi_store(narrow, sums.first);
            vi_store(narrow + HY_LANES, sums.second);
            memcpy(wide, h.biases, sizeof wide);
            wide_add(narrow, GROUP, wide);
            wide_store(line->p, wide, &h, some, out + at);
        }
    }
}

/* Goes group by group, so that the weights of a group are read once. */
static void convolve_line(const struct line *line)
{
    struct part part = {line, line->packed, 0, 0};

    for (; part.first < line->round; part.first += GROUP, part.packed += group_words(line->p)) {
        part.count = smaller(line->round - part.first, GROUP);
        if (!wide_header_at(part.packed, GROUP).is_narrow)
            convolve_wide_part(&part);
        else if (line->pairs == FEW_PAIRS)
            convolve_part(&part, FEW_PAIRS);
        else
            convolve_part(&part, line->pairs);
    }
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static bool is_whole(const struct hy_conv_params *p, const struct hy_window *columns)
{
    return columns->end - columns->begin == p->filter_w;
}

/* The pieces of a line. */
static size_t find_pieces(const struct hy_conv_params *p, struct piece *pieces)
{
    size_t count = 0;

    for (uint32_t x = 0; x < p->out_w; x++) {
        const struct hy_window columns =
            hy_taps_at(x, p->stride_w, p->pad_left, p->filter_w, p->dilation_w, p->in_w);
        if (count > 0 && is_whole(p, &columns) && is_whole(p, &pieces[count - 1].columns))
            pieces[count - 1].pixels++;
        else
            pieces[count++] = (struct piece){x, 1, columns};
    }
    return count;
}

/* Finds the addresses of the taps of the first pixel of a piece; `rows` are inside the image. */
static void find_taps(const struct hy_conv_params *p, const int16_t *image, uint32_t y,
                      const struct hy_window *rows, const struct piece *piece, const int16_t *zeros,
                      const int16_t **taps)
{
    const size_t column = (size_t)p->dilation_w * p->in_c;

    for (size_t i = 0; i < p->filter_h; i++) {
        const bool is_inside = i >= rows->begin && i < rows->end;
        const struct hy_window inside = is_inside ? piece->columns : (struct hy_window){0, 0};
        const int16_t *from = zeros;
        if (inside.begin < inside.end)
            from = image + hy_conv_tap_pixel(p, y, (uint32_t)piece->x, i, inside.begin) * p->in_c;
        for (size_t j = 0; j < p->filter_w; j++) {
            const bool is_there = j >= inside.begin && j < inside.end;
            taps[tap_at(p, i, j)] = is_there ? from : zeros;
            from += is_there ? column : 0;
        }
    }
    if (taps_of(p) % 2 != 0)
        taps[taps_of(p)] = zeros; /* the missing tap of the last pair has weights of 0 */
}

/* Computes the lines [first, end). */
static void convolve_lines(const struct hy_conv_params *p, const int16_t *in, const int32_t *packed,
                           int16_t *out, void *scratch, size_t first, size_t end)
{
    struct piece *pieces = scratch;
    struct line line = {.p = p,
                        .packed = packed,
                        .pieces = pieces,
                        .taps = (const int16_t **)(pieces + p->out_w),
                        .count = find_pieces(p, pieces),
                        .pairs = pairs_of(p),
                        .round = p->stride_w == 1 ? round_of(p) : p->out_c};
    int16_t *zeros = (int16_t *)(line.taps + 2 * line.pairs * p->out_w);

    line.step = line.round * p->stride_w;
    memset(zeros, 0, (size_t)p->in_w * p->in_c * sizeof *zeros);
    for (size_t row = first; row < end; row++) {
        const int16_t *image = in + hy_conv_image(p, row) * p->in_c;
        const uint32_t y = (uint32_t)(row % p->out_h);
        const struct hy_window rows =
            hy_taps_at(y, p->stride_h, p->pad_top, p->filter_h, p->dilation_h, p->in_h);
        for (size_t i = 0; i < line.count; i++)
            find_taps(p, image, y, &rows, &pieces[i], zeros, line.taps + i * 2 * line.pairs);
        line.out = out + row * p->out_w * p->out_c;
        convolve_line(&line);
    }
}

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    (void)bias;
    if (is_three(p, weights))
        three_lines(p, in, weights, out, scratch, first, end);
    else
        convolve_lines(p, in, weights, out, scratch, first, end);
}
