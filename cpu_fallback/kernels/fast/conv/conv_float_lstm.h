#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_LSTM_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_LSTM_H

#include <stdalign.h>

#include "cpu_fallback/kernels/fast/lstm_gates.h"

/*
 * A step of an LSTM of one row: the products of the hidden state with the weights of all gates, and
 * the gates. A panel of units has its gates side by side, so the weights are read sequentially. The
 * gate functions of a panel run in stages between the products of the next panel: the functions
 * wait for their own results and the products for weights, so a processor computes both at once.
 * Included by conv_float.c after conv_float_interleaved.h.
 */

/* The sums of all gates of a panel of units. */
typedef vf unit_sums[HY_LSTM_GATES][HY_PANEL_VECTORS];

/* Depths of the row per depth of the other product. */
#define UNIT_DEPTHS 2

static size_t half_depth(const struct hy_lstm_units *p, int half)
{
    return half == 0 ? p->depth / 2 : p->depth - p->depth / 2;
}

static size_t half_begin(const struct hy_lstm_units *p, int half)
{
    return half == 0 ? 0 : p->depth / 2;
}

static int first_gate(const struct hy_lstm_units *p)
{
    return p->is_coupled ? HY_LSTM_FORGET : HY_LSTM_INPUT;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* The weights of the first half of the hidden state come before the weights of the second half.
 * Each panel of units has, for each depth, the weights of all gates. */
static size_t weights_begin(const struct hy_lstm_units *p, int half, size_t unit)
{
    const size_t gates = (size_t)(HY_LSTM_GATES - first_gate(p));

    return gates * (p->units * half_begin(p, half) + unit * half_depth(p, half));
}

size_t HY_SIMD_FN(lstm_packed_bytes)(const struct hy_lstm_units *p)
{
    return weights_begin(p, 1, p->units) * sizeof(float);
}

/* Packs the matrix of a gate for the panel at `unit`; `matrix` starts at the first depth. */
static void pack_gate(const struct hy_lstm_units *p, const float *matrix, size_t depths,
                      size_t unit, size_t width, float *to)
{
    for (size_t k = 0, count; k < depths; k += count) {
        count = depths - k < PACKED_AT_ONCE ? depths - k : PACKED_AT_ONCE;
        for (size_t u = 0; u < HY_PANEL; u++)
            pack_channel(matrix + (unit + u) * p->depth + k, 1, count, width, to + k * width + u);
    }
}

void HY_SIMD_FN(lstm_pack)(const struct hy_lstm_units *p, const float *const *matrices,
                           void *packed)
{
    const size_t gates = (size_t)(HY_LSTM_GATES - first_gate(p));

    for (int half = 0; half < 2; half++)
        for (size_t unit = 0; unit < p->units; unit += HY_PANEL)
            for (size_t gate = 0; gate < gates; gate++)
                pack_gate(p, matrices[gate] + half_begin(p, half), half_depth(p, half), unit,
                          gates * HY_PANEL,
                          (float *)packed + weights_begin(p, half, unit) + gate * HY_PANEL);
}

/* ---- The gates of a panel of units ----------------------------------------------------------- */

enum { GATE_STAGES = 4 };

/* The gates of a panel, from the sums to the new state. */
struct gates {
    alignas(64) float sums[HY_LSTM_GATES][HY_PANEL]; /* the first two entries become an opening */
    struct hy_lstm_row row;
    float *state, *out;
};

static void begin_gates(const struct hy_lstm_units *p, size_t unit, float *state, float *out,
                        struct gates *gates)
{
    const int first = first_gate(p);

    gates->row = (struct hy_lstm_row){.units = HY_PANEL, .cell_clip = p->cell_clip};
    gates->state = state + unit;
    gates->out = out + unit;
    for (int gate = 0; gate < HY_LSTM_GATES; gate++) {
        gates->row.peephole[gate] = p->peephole[gate] ? p->peephole[gate] + unit : NULL;
        gates->row.in[gate] =
            gate < first ? NULL : p->in + (size_t)(gate - first) * p->units + unit;
        gates->row.hidden[gate] = gates->sums[gate];
    }
}

HY_ALWAYS_INLINE void run_vector(struct gates *gates, int stage, struct span span)
{
    const struct hy_lstm_row *row = &gates->row;
    float *forget = gates->sums[HY_LSTM_FORGET] + span.at;
    float *input = gates->sums[HY_LSTM_INPUT] + span.at;
    float *state = gates->state + span.at, *out = gates->out + span.at;
    struct opening opening;

    switch (stage) {
    case 0:
        opening = opening_of(row, span, vf_load(state));
        vf_store(forget, opening.forget);
        vf_store(input, opening.input);
        break;
    case 1:
        opening = (struct opening){vf_load(forget), vf_load(input)};
        vf_store(state, new_state(row, span, opening, vf_load(state)));
        break;
    case 2:
        vf_store(out, output_gate(row, span, vf_load(state)));
        break;
    default:
        vf_store(out, vf_multiply(vf_load(out), vf_tanh(vf_load(state))));
        break;
    }
}

static __attribute__((noinline)) void run_stage(struct gates *gates, int stage)
{
    HY_UNROLL(16)
    for (size_t v = 0; v < HY_PANEL_VECTORS; v++)
        run_vector(gates, stage, (struct span){v * HY_LANES, HY_LANES});
}

/* ---- Another product, interleaved ------------------------------------------------------------ */

struct interleaved {
#if defined(HY_INTERLEAVED_ROWS)
    struct walk tile;
    panel_sums sums;
#else
    char unused;
#endif
};

/* Returns false if there is no other product to compute. */
HY_ALWAYS_INLINE bool begin_interleaved(const struct hy_conv_partition *partition,
                                        struct interleaved *interleaved)
{
#if defined(HY_INTERLEAVED_ROWS)
    if (!partition || partition->parts == 0)
        return false;
    interleaved->tile = walk_of_partition(partition);
    if (is_over(&interleaved->tile))
        return false;
    enter_panel(&interleaved->tile, HY_TILE_ROWS, 1, interleaved->sums);
    return true;
#else
    (void)partition, (void)interleaved;
    return false;
#endif
}

HY_ALWAYS_INLINE void end_interleaved(struct interleaved *interleaved)
{
#if defined(HY_INTERLEAVED_ROWS)
    while (!is_over(&interleaved->tile))
        walk_on(&interleaved->tile, HY_TILE_ROWS, 1, interleaved->sums);
#else
    (void)interleaved;
#endif
}

/* ---- Products -------------------------------------------------------------------------------- */

/* A half of the hidden state, and its weights for a panel of units. */
struct half {
    const float *hidden, *weights;
    size_t depth;
};

static struct half half_of(const struct hy_lstm_units *p, int half, size_t unit)
{
    return (struct half){p->hidden + half_begin(p, half),
                         (const float *)p->weights + weights_begin(p, half, unit),
                         half_depth(p, half)};
}

HY_ALWAYS_INLINE void add_unit_depth(const struct half *half, size_t k, int gates, unit_sums sums)
{
    const float *weights = half->weights + k * (size_t)gates * HY_PANEL;
    const vf value = vf_set1(half->hidden[k]);

    HY_UNROLL(16)
    for (int g = 0; g < gates; g++) {
        HY_UNROLL(16)
        for (int v = 0; v < HY_PANEL_VECTORS; v++, weights += HY_LANES) {
            sums[g][v] = vf_multiply_add(value, vf_load(weights), sums[g][v]);
            /* Keeps the order of loads: compilers would sort the loads otherwise, and prefetchers
             * fail. */
            __asm__ volatile("" ::: "memory");
        }
    }
}

/* Adds depths `k` to `end` interleaved with depths of the other product, until the other product
 * ends. Returns the first depth not added. */
HY_ALWAYS_INLINE size_t add_depths_interleaved(const struct half *half, size_t k, size_t end,
                                               int gates, struct interleaved *interleaved,
                                               unit_sums sums)
{
#if defined(HY_INTERLEAVED_ROWS)
    struct walk *tile = &interleaved->tile;
    const float *at[HY_TILE_ROWS];

    while (k + UNIT_DEPTHS <= end && !is_over(tile)) {
        const size_t rounds = (end - k) / UNIT_DEPTHS, left = tile->depth - tile->k;
        const size_t stop = tile->k + (rounds < left ? rounds : left);

        find_rows(tile, HY_TILE_ROWS, at);
        for (size_t t = tile->k; t < stop; t++, k += UNIT_DEPTHS) {
            HY_UNROLL(16)
            for (size_t d = 0; d < UNIT_DEPTHS; d++)
                add_unit_depth(half, k + d, gates, sums);
            add_depth(at, t, tile->tile.panel + t * HY_PANEL, tile->tile.start, HY_TILE_ROWS,
                      HY_PANEL_VECTORS, false, interleaved->sums[0]);
        }
        tile->k = stop;
        if (stop == tile->depth)
            leave_panel(tile, HY_TILE_ROWS, 1, interleaved->sums);
    }
#else
    (void)half, (void)end, (void)gates, (void)interleaved, (void)sums;
#endif
    return k;
}

/* Sums the products of one half. The gates of panel `before` run between the depths, unless
 * `before` is NULL. */
HY_ALWAYS_INLINE void sum_half(const struct half *half, int gates, struct interleaved *interleaved,
                               struct gates *before, unit_sums sums)
{
    size_t k = 0;

    HY_UNROLL(16)
    for (int g = 0; g < gates; g++) {
        HY_UNROLL(16)
        for (int v = 0; v < HY_PANEL_VECTORS; v++)
            sums[g][v] = vf_set1(0);
    }
    for (int stage = 0; stage < GATE_STAGES; stage++) {
        const size_t end = half->depth * ((size_t)stage + 1) / GATE_STAGES;

        if (interleaved)
            k = add_depths_interleaved(half, k, end, gates, interleaved, sums);
        for (; k < end; k++)
            add_unit_depth(half, k, gates, sums);
        if (before)
            run_stage(before, stage);
    }
}

/* Adds sums from memory; the sums of neighbouring gates are `step` apart. */
HY_ALWAYS_INLINE void add_sums(int gates, const float *from, size_t step, unit_sums sums)
{
    HY_UNROLL(16)
    for (int g = 0; g < gates; g++) {
        HY_UNROLL(16)
        for (int v = 0; v < HY_PANEL_VECTORS; v++)
            sums[g][v] = vf_add(sums[g][v], vf_load(from + (size_t)g * step + v * HY_LANES));
    }
}

HY_ALWAYS_INLINE void store_sums(int gates, unit_sums sums, float *to, size_t step)
{
    HY_UNROLL(16)
    for (int g = 0; g < gates; g++) {
        HY_UNROLL(16)
        for (int v = 0; v < HY_PANEL_VECTORS; v++)
            vf_store(to + (size_t)g * step + v * HY_LANES, sums[g][v]);
    }
}

/* The first unit of panel `i` in the order of this step. */
static size_t unit_at(const struct hy_lstm_units *p, size_t i)
{
    const size_t at = i * HY_PANEL;

    return p->is_backwards ? p->first + p->count - HY_PANEL - at : p->first + at;
}

HY_ALWAYS_INLINE void run_half(const struct hy_lstm_units *p, int gates, float *to)
{
    if (p->count == 0)
        return;
    const size_t unit = unit_at(p, 0);
    const struct half half = half_of(p, p->half, unit);
    unit_sums sums;

    sum_half(&half, gates, NULL, NULL, sums);
    store_sums(gates, sums, to + unit, p->units);
}

void HY_SIMD_FN(lstm_half)(const struct hy_lstm_units *p, float *sums)
{
    if (p->is_coupled)
        run_half(p, HY_LSTM_GATES - 1, sums);
    else
        run_half(p, HY_LSTM_GATES, sums);
}

/* A panel starts with the half whose sums are not known, or, if no half is known, with the half
 * used last in the previous step. In the first panel the known sums replace the other half. */
HY_ALWAYS_INLINE void run_lstm(const struct hy_lstm_units *p, int gates, const float *known,
                               struct interleaved *interleaved, float *state, float *out)
{
    const int first = known ? 1 - p->half : p->is_backwards;
    struct gates buffers[2], *now = &buffers[0], *before = NULL;

    for (size_t i = 0; i < p->count / HY_PANEL; i++) {
        const size_t unit = unit_at(p, i);
        const struct half one = half_of(p, first, unit);
        float *stored = now->sums[HY_LSTM_GATES - gates];
        unit_sums sums;

        begin_gates(p, unit, state, out, now);
        sum_half(&one, gates, interleaved, before, sums);
        if (known && i == 0) {
            add_sums(gates, known + unit, p->units, sums);
        } else {
            const struct half other = half_of(p, 1 - first, unit);
            store_sums(gates, sums, stored, HY_PANEL);
            sum_half(&other, gates, interleaved, NULL, sums);
            add_sums(gates, stored, HY_PANEL, sums);
        }
        store_sums(gates, sums, stored, HY_PANEL);
        before = now;
        now = before == &buffers[0] ? &buffers[1] : &buffers[0];
    }
    for (int stage = 0; before && stage < GATE_STAGES; stage++)
        run_stage(before, stage);
}

void HY_SIMD_FN(lstm_units)(const struct hy_lstm_units *p, const float *known,
                            const struct hy_conv_partition *partition, float *state, float *out)
{
    struct interleaved interleaved;

    if (begin_interleaved(partition, &interleaved)) {
        if (p->is_coupled)
            run_lstm(p, HY_LSTM_GATES - 1, known, &interleaved, state, out);
        else
            run_lstm(p, HY_LSTM_GATES, known, &interleaved, state, out);
        end_interleaved(&interleaved);
    } else if (p->is_coupled) {
        run_lstm(p, HY_LSTM_GATES - 1, known, NULL, state, out);
    } else {
        run_lstm(p, HY_LSTM_GATES, known, NULL, state, out);
    }
}

#endif
