#include "cpu_fallback/kernels/element.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/depthwise_bands.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/rescale_offsets.h"

/*
 * DEPTHWISE_CONV_2D in 8 bits, see depthwise_bands.h. The formula of the sums is in conv_quant.h.
 *
 * A packed vector of channels is the words of rescale.h, followed by the weights of HY_DOT_GROUP
 * tap rows, for each shift of the filter in its groups, for each group and column. If all channels
 * have one multiplier, the words are stored once before all vectors, and each vector has only its
 * START.
 */
#define IN_IS_SIGNED     ((HY_T)-1 < 0)
#define FILTER_IS_SIGNED ((HY_FILTER_T)-1 < 0)

static_assert(START == 0, "a header begins with it");

/* Words of the taps of a vector, in one shift. */
static size_t taps_size(const struct hy_conv_params *p)
{
    return band_groups(p) * p->filter_w * HY_LANES;
}

/* Words before the vectors. */
static size_t shared_size(const struct hy_conv_params *p)
{
    return p->has_one_multiplier ? HEADER_WORDS * HY_LANES : 0;
}

/* Words of a packed vector before its taps. */
static size_t header_size(const struct hy_conv_params *p)
{
    return p->has_one_multiplier ? HY_LANES : HEADER_WORDS * HY_LANES;
}

/* Words of a packed vector. */
static size_t vector_size(const struct hy_conv_params *p)
{
    return header_size(p) + band_shifts(p) * taps_size(p);
}

/* The remaining zero point of the filter. */
static int32_t weight_rest(const struct hy_conv_params *p)
{
    return p->filter_zero_point - dot_weight_offset(p->filter_zero_point, FILTER_IS_SIGNED);
}

/* Whether no output byte represents less than 0, as after RELU: one offset is enough. */
static inline bool is_never_below(const struct hy_conv_params *p)
{
    return p->out_zero_point == (IN_IS_SIGNED ? INT8_MIN : 0);
}

static int32_t weight_at(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t tap,
                         size_t c)
{
    return filter[tap * p->out_c + c] - dot_weight_offset(p->filter_zero_point, FILTER_IS_SIGNED);
}

/* Describes the sums of channel `c`, in a lane of its vector, for rescaling. */
static void describe_sums(const struct hy_conv_params *p, const HY_FILTER_T *filter, int32_t bias,
                          size_t c, size_t lane, struct rescale_channels *to)
{
    const uint32_t zx =
        (uint32_t)(p->in_zero_point - dot_act_offset(p->in_zero_point, IN_IS_SIGNED));
    const uint32_t zw = (uint32_t)weight_rest(p);
    const size_t taps = depthwise_taps(p);
    double magnitude = (double)taps * abs(weight_rest(p));
    uint32_t sum = 0;

    for (size_t tap = 0; tap < taps; tap++) {
        const int32_t weight = weight_at(p, filter, tap, c);
        sum += (uint32_t)weight;
        magnitude += abs(weight);
    }
    const int32_t start = (int32_t)((uint32_t)bias - zx * sum + (uint32_t)taps * zx * zw);
    to->start[lane] = start;
    to->multipliers[lane] = p->multipliers[c];
    to->reach[lane] = 255 * magnitude;
}

/* Packs the taps of channel `c` in one shift, `step` words apart; `to` holds zeros. */
static void pack_taps(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t c,
                      size_t shift, size_t step, int32_t *to)
{
    for (size_t i = 0; i < p->filter_h; i++) {
        const size_t group = (i + shift) / HY_DOT_GROUP, position = (i + shift) % HY_DOT_GROUP;
        for (size_t j = 0; j < p->filter_w; j++) {
            hy_dot_weight *weights = (hy_dot_weight *)(to + (group * p->filter_w + j) * step);
            weights[position] = (hy_dot_weight)weight_at(p, filter, i * p->filter_w + j, c);
        }
    }
}

#if HY_LANES == 16 /* enough registers for several sums in flight */
#include "cpu_fallback/kernels/fast/conv/depthwise_columns.h"
#define HAS_COLUMNS 1
#else
#define HAS_COLUMNS 0
#endif

/* The words packed for columns follow these words. */
static inline size_t bands_packed_words(const struct hy_conv_params *p)
{
    return shared_size(p) + depthwise_vectors(p) * vector_size(p);
}

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_packed_bytes)(p);
    size_t words = bands_packed_words(p);
#if HAS_COLUMNS
    words += columns_packed_words(p);
#endif
    return words * sizeof(int32_t);
}

/* Packs the words shared by all channels, once each vector has the start of its sums. The
 * correction by rescaling is the same for all channels. `reach` is the largest magnitude of a
 * sum. */
static void pack_shared(const struct hy_conv_params *p, struct rescale_packer *packer, double reach,
                        int32_t *packed)
{
    int32_t *vector = packed + shared_size(p);
    struct rescale_channels all = {0};

    for (size_t i = 0; i < HY_LANES; i++) {
        all.multipliers[i] = p->multipliers[0];
        all.reach[i] = reach;
    }
    rescale_pack(packer, &all, 1, packed);
    const uint32_t shift = (uint32_t)packed[START];
    for (size_t c = 0; c < p->out_c; c += HY_LANES, vector += vector_size(p))
        for (size_t i = 0; i < HY_LANES; i++)
            vector[i] = (int32_t)((uint32_t)vector[i] + shift);
}

static void pack_bands(const struct hy_conv_params *p, const HY_FILTER_T *filter,
                       const int32_t *bias, int32_t *packed)
{
    struct rescale_packer packer =
        rescale_packer_of((struct rescale_layer){true, IN_IS_SIGNED, p->out_zero_point});
    int32_t *vector = packed + shared_size(p);
    double reach = 0;

    memset(packed, 0, bands_packed_words(p) * sizeof *packed);
    for (size_t first = 0; first < p->out_c; first += HY_LANES, vector += vector_size(p)) {
        const size_t count = p->out_c - first < HY_LANES ? p->out_c - first : HY_LANES;
        struct rescale_channels channels = {0};
        for (size_t i = 0; i < count; i++) {
            describe_sums(p, filter, bias[first + i], first + i, i, &channels);
            reach = fmax(reach, fabs((double)channels.start[i]) + channels.reach[i]);
            for (size_t shift = 0; shift < band_shifts(p); shift++)
                pack_taps(p, filter, first + i, shift, HY_LANES,
                          vector + i + header_size(p) + shift * taps_size(p));
        }
        if (p->has_one_multiplier)
            memcpy(vector, channels.start, sizeof channels.start);
        else
            rescale_pack(&packer, &channels, 1, vector);
    }
    if (p->has_one_multiplier)
        pack_shared(p, &packer, reach, packed);
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    if (p->in_c == 1) {
        HY_SIMD_FN(single_channel_pack)(p, filter, bias, packed);
        return;
    }
    pack_bands(p, filter, bias, packed);
#if HAS_COLUMNS
    if (has_columns(p))
        pack_columns(p, filter, bias, (int32_t *)packed + bands_packed_words(p));
#endif
}

/* One output line of one vector of channels. */
struct output_line {
    const hy_dot_act *from; /* input under the first tap of the first pixel */
    size_t pixel_step, column_step, group_step;
    size_t groups, columns; /* groups of tap rows, tap columns */
    const int32_t *header, *start, *taps;
    size_t shift;     /* shift of the filter in its groups */
    size_t filter_h;  /* rows of the filter */
    int32_t rest;     /* remaining zero point of the filter */
    bool never_below; /* is_never_below() */
    size_t pixels, channels, out_step;
    HY_T *out;
};

/*
 * vi_dot in program order. If vi_dot is a product and an addition, gcc would compute all products
 * of an unrolled loop first and run out of registers.
 */
static inline vi dot_sequenced(vi sum, vi activations, vi weights)
{
    sum = vi_dot(sum, activations, weights);
#if defined(HY_AVX2)
    __asm__("" : "+x"(sum));
#endif
    return sum;
}

/* Sums the taps of HY_GROUP_PIXELS neighbours. */
HY_ALWAYS_INLINE void sum_taps(const struct output_line *s, const hy_dot_act *from, size_t groups,
                               size_t columns, vi sums[HY_GROUP_PIXELS])
{
    const int32_t *taps = s->taps;
    vi sum[HY_GROUP_PIXELS];

    HY_UNROLL(4)
    for (int q = 0; q < HY_GROUP_PIXELS; q++)
        sum[q] = vi_load(s->start);
    HY_UNROLL_IF_KNOWN(2)
    for (size_t g = 0; g < groups; g++, from += s->group_step) {
        HY_UNROLL_IF_KNOWN(5)
        for (size_t j = 0; j < columns; j++, taps += HY_LANES) {
            const hy_dot_act *column = from + j * s->column_step;
            const vi weights = vi_load(taps);
            HY_UNROLL(4)
            for (size_t q = 0; q < HY_GROUP_PIXELS; q++)
                sum[q] = dot_sequenced(sum[q], vi_load(column + q * s->pixel_step), weights);
        }
    }
    HY_UNROLL(4)
    for (int q = 0; q < HY_GROUP_PIXELS; q++)
        sums[q] = sum[q];
}

/* Weights of 1 for the rows of a group inside the filter, and of 0 for the others. */
static inline vi ones_of_group(const struct output_line *s, size_t group)
{
    hy_dot_weight ones[HY_DOT_GROUP];
    int32_t word;

    static_assert(sizeof ones == sizeof word, "a lane has one group");
    for (size_t i = 0; i < HY_DOT_GROUP; i++) {
        const size_t row = group * HY_DOT_GROUP + i;
        ones[i] = row >= s->shift && row < s->shift + s->filter_h;
    }
    memcpy(&word, ones, sizeof word);
    return vi_set1(word);
}

/* Subtracts the remaining zero point of the filter times the sums of inputs. */
static __attribute__((noinline)) void correct_sums(const struct output_line *s,
                                                   const hy_dot_act *from, vi sums[HY_GROUP_PIXELS])
{
    vi inputs[HY_GROUP_PIXELS];

    HY_UNROLL(4)
    for (int q = 0; q < HY_GROUP_PIXELS; q++)
        inputs[q] = vi_set1(0);
    for (size_t g = 0; g < s->groups; g++, from += s->group_step) {
        const vi ones = ones_of_group(s, g);
        for (size_t j = 0; j < s->columns; j++) {
            const hy_dot_act *column = from + j * s->column_step;
            HY_UNROLL(4)
            for (size_t q = 0; q < HY_GROUP_PIXELS; q++)
                inputs[q] = vi_dot(inputs[q], vi_load(column + q * s->pixel_step), ones);
        }
    }
    HY_UNROLL(4)
    for (int q = 0; q < HY_GROUP_PIXELS; q++)
        sums[q] = vi_sub(sums[q], vi_multiply(inputs[q], vi_set1(s->rest)));
}

/* The constants for converting the sums of a strip to bytes, kept from group to group. */
struct ending {
    const struct rescale *to_bytes;
    struct rescale_headers headers;
    struct rescale_numbers numbers;
    enum rescale_way way;
};

/* Computes `pixels` neighbours, at most HY_GROUP_PIXELS, and `channels` channels of each. */
HY_ALWAYS_INLINE void convolve_group(const struct output_line *s, const struct ending *ending,
                                     const hy_dot_act *from, size_t groups, size_t columns,
                                     bool is_corrected, size_t pixels, size_t channels, HY_T *out)
{
    vi sums[HY_GROUP_PIXELS];

    sum_taps(s, from, groups, columns, sums);
    if (is_corrected)
        correct_sums(s, from, sums);
    const vi bytes = rescale(&ending->numbers, ending->to_bytes, &ending->headers, sums,
                             ending->way, IN_IS_SIGNED);
    HY_UNROLL(4)
    for (size_t q = 0; q < HY_GROUP_PIXELS; q++)
        if (q < pixels)
            vb_store_part_of(out + q * s->out_step, bytes, 1, (int)q, channels);
}

HY_ALWAYS_INLINE void convolve_line(const struct output_line *s, const struct rescale *to_bytes,
                                    size_t groups, size_t columns, enum rescale_way way)
{
    const struct rescale_headers headers = {{s->header, s->header, s->header, s->header}, HY_LANES};
    const struct ending ending = {to_bytes, headers, rescale_numbers_of(to_bytes, &headers), way};
    const size_t in_step = HY_GROUP_PIXELS * s->pixel_step;
    const size_t out_step = HY_GROUP_PIXELS * s->out_step;
    const bool is_corrected = s->rest != 0;
    const hy_dot_act *from = s->from;
    size_t left = s->pixels;
    HY_T *out = s->out;

    /* The usual case, without further branches. */
    for (; !is_corrected && s->channels == HY_LANES && left >= HY_GROUP_PIXELS;
         left -= HY_GROUP_PIXELS, from += in_step, out += out_step)
        convolve_group(s, &ending, from, groups, columns, false, HY_GROUP_PIXELS, HY_LANES, out);
    for (; left > 0; from += in_step, out += out_step) {
        const size_t pixels = left < HY_GROUP_PIXELS ? left : HY_GROUP_PIXELS;
        convolve_group(s, &ending, from, groups, columns, is_corrected, pixels, s->channels, out);
        left -= pixels;
    }
}

static __attribute__((noinline)) void convolve_exactly(const struct output_line *s,
                                                       const struct rescale *to_bytes)
{
    convolve_line(s, to_bytes, s->groups, s->columns, RESCALE_EXACTLY);
}

/* The usual filters, 3x3 and 5x5, have loops of constant length. */
HY_ALWAYS_INLINE void convolve(const struct output_line *s, const struct rescale *to_bytes)
{
    const size_t few = (3 + HY_DOT_GROUP - 1) / HY_DOT_GROUP;
    const size_t more = (5 + HY_DOT_GROUP - 1) / HY_DOT_GROUP;

    const bool is_three = s->columns == 3 && s->groups == few;
    const bool is_five = s->columns == 5 && s->groups == more;

    if (!rescale_has_offsets(s->header, HY_LANES))
        convolve_exactly(s, to_bytes);
    else if (is_three && s->never_below)
        convolve_line(s, to_bytes, few, 3, RESCALE_ONE_OFFSET);
    else if (is_three)
        convolve_line(s, to_bytes, few, 3, RESCALE_TWO_OFFSETS);
    else if (is_five && s->never_below)
        convolve_line(s, to_bytes, more, 5, RESCALE_ONE_OFFSET);
    else if (is_five)
        convolve_line(s, to_bytes, more, 5, RESCALE_TWO_OFFSETS);
    else
        convolve_line(s, to_bytes, s->groups, s->columns, RESCALE_TWO_OFFSETS);
}

/* Computes one block of channels of one band, line after line; strip.from is the copy of the
 * band. */
static void convolve_block(const struct hy_conv_params *p, const struct bands *b,
                           const struct rescale *to_bytes, struct output_line *s, size_t lines,
                           size_t channels, const int32_t *packed, HY_T *out)
{
    const hy_dot_act *copy = s->from;

    for (size_t c = 0; c < channels; c += HY_LANES, packed += vector_size(p)) {
        s->from = copy + c * HY_DOT_GROUP;
        s->start = packed;
        if (!p->has_one_multiplier)
            s->header = packed;
        s->channels = channels - c < HY_LANES ? channels - c : HY_LANES;
        for (size_t line = 0; line < lines; line++) {
            s->shift = b->lines == 1 ? 0 : line * p->stride_h;
            s->taps = packed + header_size(p) + s->shift * taps_size(p);
            s->out = out + line * p->out_w * p->out_c + c;
            convolve(s, to_bytes);
        }
    }
}

/* Computes band `unit`, all channels. */
static __attribute__((noinline)) void
convolve_band(const struct hy_conv_params *p, const struct bands *b, const struct rescale *to_bytes,
              const HY_T *in, const int32_t *packed, HY_T *out, hy_dot_act *copy, size_t unit)
{
    const size_t image = unit / bands_of_image(p), y = unit % bands_of_image(p) * b->lines;
    const size_t lines = p->out_h - y < b->lines ? p->out_h - y : b->lines;
    const size_t group_size = band_group_size(p, b);

    in += image * p->in_h * p->in_w * p->in_c;
    out += (image * p->out_h + y) * p->out_w * p->out_c;
    for (size_t c = 0; c < p->out_c; c += b->block) {
        const size_t channels = p->out_c - c < b->block ? p->out_c - c : b->block;
        const struct band_source source = {
            .image = (const uint8_t *)in + c,
            .y = (int64_t)y * p->stride_h - p->pad_top,
            .channels = channels,
            .zero = (uint8_t)p->in_zero_point,
            .is_signed = IN_IS_SIGNED,
            .offset = dot_act_offset(p->in_zero_point, IN_IS_SIGNED),
        };
        struct output_line output_line = {
            .from = copy,
            .header = packed, /* header of all vectors, or of the first */
            .pixel_step = p->stride_w * channels * HY_DOT_GROUP,
            .column_step = p->dilation_w * channels * HY_DOT_GROUP,
            .group_step = group_size,
            .groups = b->groups,
            .columns = p->filter_w,
            .filter_h = p->filter_h,
            .rest = weight_rest(p),
            .never_below = is_never_below(p),
            .pixels = p->out_w,
            .out_step = p->out_c,
        };
        for (size_t group = 0; group < b->groups; group++)
            copy_group(p, b, &source, group, copy + group * group_size);
        convolve_block(p, b, to_bytes, &output_line, lines, channels,
                       packed + shared_size(p) + c / HY_LANES * vector_size(p), out + c);
    }
}

static inline size_t plain_units(const struct hy_conv_params *p)
{
    return p->out_w == 0 ? 0 : p->batch * bands_of_image(p);
}

static inline size_t plain_scratch_bytes(const struct hy_conv_params *p)
{
    if (p->out_w == 0)
        return 0;
#if HAS_COLUMNS
    if (columns_suit(p))
        return 0;
#endif
    const struct bands bands = bands_of(p);
    return bands.groups * band_group_size(p, &bands) * sizeof(hy_dot_act);
}

/* Not inlined: see vi_begin_floor(). */
static __attribute__((noinline)) void plain_conv(const struct hy_conv_params *p, const HY_T *in,
                                                 const int32_t *weights, HY_T *out, void *scratch,
                                                 size_t first, size_t end)
{
    if (first == end)
        return;
    const struct bands bands = bands_of(p);
    const struct rescale to_bytes =
        rescale_of(true, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    const unsigned before = vi_begin_floor();
#if HAS_COLUMNS
    if (columns_suit(p)) {
        walk_bands(p, &to_bytes, (const uint8_t *)in, weights + bands_packed_words(p), out, first,
                   end);
        first = end;
    }
#endif
    for (; first < end; first++)
        convolve_band(p, &bands, &to_bytes, in, weights, out, scratch, first);
    vi_end_floor(before);
}

#include "cpu_fallback/kernels/fast/conv/depthwise_spread.h"

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    if (p->in_c == 1)
        HY_SIMD_FN(conv_half_away)(p, in, weights, bias, out, scratch, first, end);
    else if (is_spread(p))
        spread_conv(p, in, weights, out, scratch, first, end);
    else
        plain_conv(p, in, weights, out, scratch, first, end);
}
