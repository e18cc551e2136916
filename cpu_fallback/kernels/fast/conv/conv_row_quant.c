#include "cpu_fallback/kernels/fast/conv/conv_quant.h"

/*
 * FULLY_CONNECTED of one row, and equivalent CONV_2D, over the unpacked filter of the model. The
 * weights of a channel are neighbours, so the filter is read once and in order. Only the headers of
 * panels are packed (conv_quant.h), one after the other.
 */

/* Vectors of a channel multiplied at once, each with sums of its own. */
#define VECTORS_AT_ONCE 4

/* Prefetch distance of weights: filters of this size come from the third-level cache. */
#define BYTES_AHEAD 2048

/* One panel's operands. */
struct tile {
    const hy_dot_act *row;
    const HY_FILTER_T *filter; /* filter of the first channel */
    size_t depth;
    int32_t correction;    /* -zw * sum x */
    const int32_t *panel;  /* initial value of sums */
    const int32_t *header; /* the panel, or the words shared by all panels */
    HY_T *out;
    size_t out_step, columns; /* columns to write */
    const struct rescale *rescale;
    vi *sums; /* up to a multiple of four */
};

#include "cpu_fallback/kernels/fast/conv/conv_quant_store.h"

int HY_SIMD_FN(conv_row_suits)(const struct hy_conv_params *p)
{
    return is_single_row(p) && p->groups <= 1 && p->in_c % HY_BYTE_LANES == 0;
}

size_t HY_SIMD_FN(conv_row_units)(const struct hy_conv_params *p)
{
    return conv_blocks(p);
}

size_t HY_SIMD_FN(conv_row_scratch_bytes)(const struct hy_conv_params *p)
{
    return p->in_c + HY_BYTE_LANES;
}

HY_ALWAYS_INLINE vi add_products(vi sum, const hy_dot_act *row, const HY_FILTER_T *channel)
{
    const vi weights = vi_load(channel);

    __builtin_prefetch(channel + BYTES_AHEAD);
    return vi_dot(sum, vi_load(row), HY_FILTER_IS_SIGNED ? weights : vb_flip(weights));
}

/* Multiplies the row and a channel; the result is the sum of all lanes. */
HY_ALWAYS_INLINE vi sum_channel(const struct tile *t, const HY_FILTER_T *channel)
{
    const size_t step = (size_t)VECTORS_AT_ONCE * HY_BYTE_LANES;
    vi sums[VECTORS_AT_ONCE];
    size_t k = 0;

    HY_UNROLL(4)
    for (int i = 0; i < VECTORS_AT_ONCE; i++)
        sums[i] = vi_set1(0);
    for (; k + step <= t->depth; k += step) {
        HY_UNROLL(4)
        for (size_t i = 0, at = k; i < VECTORS_AT_ONCE; i++, at += HY_BYTE_LANES)
            sums[i] = add_products(sums[i], t->row + at, channel + at);
    }
    for (; k < t->depth; k += HY_BYTE_LANES)
        sums[0] = add_products(sums[0], t->row + k, channel + k);
    return vi_add(vi_add(sums[0], sums[1]), vi_add(sums[2], sums[3]));
}

/* A vector of sums, from channel `first` of the panel on; zeros for missing channels. */
HY_ALWAYS_INLINE vi sum_vector(const struct tile *t, size_t first)
{
    const HY_FILTER_T *channel = t->filter + first * t->depth;
    vi sums[HY_LANES];

    for (size_t i = 0; i < HY_LANES; i++, channel += t->depth)
        sums[i] = first + i < t->columns ? sum_channel(t, channel) : vi_set1(0);
    return vi_sums(sums);
}

HY_ALWAYS_INLINE void multiply_panel(const struct tile *t, int vectors)
{
    vi sums[1][HY_PANEL_VECTORS];

    HY_UNROLL(2)
    for (int v = 0; v < vectors; v++)
        sums[0][v] = vi_add(sum_vector(t, (size_t)v * HY_LANES),
                            vi_add(vi_load(t->panel + v * HY_LANES), vi_set1(t->correction)));
    finish_tile(t, 1, vectors, sums);
}

/* -zw * sum x of the row. */
static int32_t correction_of(const struct hy_conv_params *p, const hy_dot_act *row)
{
    const uint32_t zero_point = (uint32_t)(p->filter_zero_point - WEIGHT_OFFSET);
    uint32_t sum = 0;

    for (size_t k = 0; zero_point != 0 && k < p->in_c; k++)
        sum += row[k];
    return (int32_t)(0 - zero_point * sum);
}

static void run(const struct hy_conv_params *p, const void *in, const int32_t *headers,
                const HY_FILTER_T *filter, HY_T *out, hy_dot_act *row, struct hy_window channels)
{
    const struct rescale to_bytes =
        rescale_of(false, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    vi sums[HY_PANEL_VECTORS + 3];

    dot_copy(p->in_c, in, HY_IN_IS_SIGNED, dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED), row);
    struct tile t = {.row = row,
                     .depth = p->in_c,
                     .correction = correction_of(p, row),
                     .rescale = &to_bytes,
                     .sums = sums};
    for (size_t c = channels.begin; c < channels.end; c += HY_PANEL) {
        t.filter = filter + c * t.depth;
        t.panel = headers + conv_shared_words(p) + c * conv_header_words(p);
        t.header = !p->has_one_multiplier          ? t.panel
                   : panel_width(p, c) == HY_PANEL ? headers
                                                   : headers + conv_shared_words_of(p, 2);
        t.out = out + c;
        t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
        if (t.columns > HY_LANES)
            multiply_panel(&t, 2);
        else
            multiply_panel(&t, 1);
    }
}

void HY_SIMD_FN(conv_row)(const struct hy_conv_params *p, const void *in, const void *weights,
                          const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const unsigned before = vi_begin_floor();

    run(p, in, weights, bias, out, scratch, row_channels(p, first, end));
    vi_end_floor(before);
}
