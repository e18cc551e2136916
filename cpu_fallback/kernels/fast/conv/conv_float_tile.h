#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_TILE_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_TILE_H

#include "cpu_fallback/kernels/fast/conv/conv_float_rows.h"

/*
 * The product of the rows of a tile and a panel of weights, in registers.
 */

/* The weights of a panel: floats, or bytes converted to floats when used. The conversion multiplies
 * by the scale of the channel, as DEQUANTIZE does, so sums are the same to the bit. */
#if defined(HY_BYTE_WEIGHTS)
typedef int8_t panel_weight;

HY_ALWAYS_INLINE vf load_weights(const panel_weight *from, const float *scales)
{
    return vf_multiply(vf_from_vi(vi_load_s8_part(from, HY_LANES)), vf_load(scales));
}
#else
typedef float panel_weight;

HY_ALWAYS_INLINE vf load_weights(const panel_weight *from, const float *scales)
{
    (void)scales;
    return vf_load(from);
}
#endif

/* The operands of one tile. */
struct tile {
    struct patches patches;
    const float *start; /* initial sums of the panel; for bytes, followed by the scales */
    const panel_weight *panel;
    /* Weights to prefetch during the product, `next_step` bytes for each depth. NULL: none. */
    const char *next;
    size_t next_step;
    float *out;
    size_t out_step, columns; /* columns to write */
    vf min, max;
};

/* The scales of a panel of bytes. */
HY_ALWAYS_INLINE const float *scales_of(const struct tile *t, int vectors)
{
    return sizeof(panel_weight) == 1 ? t->start + vectors * HY_LANES : t->start;
}

#define MOST_PHASES 4

/* Adds one depth: the value of each row times the weights of the panel. With `half`, only the first
 * half of the last vector is computed. */
HY_ALWAYS_INLINE void add_depth(const float *const *at, size_t k, const panel_weight *panel,
                                const float *scales, int rows, int vectors, bool half,
                                vf sums[HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    vf weights[HY_PANEL_VECTORS];

    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++)
        weights[v] = load_weights(panel + v * HY_LANES, scales + v * HY_LANES);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        const vf value = half && vectors == 1 ? vf_set1_half(at[r][k]) : vf_set1(at[r][k]);
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = half && v == vectors - 1
                             ? vf_multiply_add_half(value, weights[v], sums[r][v])
                             : vf_multiply_add(value, weights[v], sums[r][v]);
    }
}

HY_ALWAYS_INLINE void start_sums(const struct tile *t, int rows, int vectors, int phases,
                                 vf sums[][HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    HY_UNROLL(16)
    for (int s = 0; s < phases; s++) {
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                sums[s][r][v] = s == 0 ? vf_load(t->start + v * HY_LANES) : vf_set1(0);
        }
    }
}

/*
 * Computes the sums of a tile in `phases` sets, with successive depths in successive sets; the
 * caller adds the sets. In a tile of few rows and vectors, a single set would wait for its own
 * additions.
 */
HY_ALWAYS_INLINE void sum_tile(const struct tile *t, int rows, int vectors, bool half, int phases,
                               vf sums[][HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    const panel_weight *panel = t->panel;
    const float *scales = scales_of(t, vectors);
    const float *at[HY_TILE_ROWS];
    /* Prefetching cached data costs as little as a branch. */
    const char *next = t->next ? t->next : (const char *)panel;

    start_sums(t, rows, vectors, phases, sums);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        at[r] = t->patches.rows ? t->patches.rows[r].from
                                : t->patches.from + (size_t)r * t->patches.row_step;

    for (size_t line = 1;; line++) {
        size_t k = 0;
        for (; k + (size_t)phases <= t->patches.run; k += (size_t)phases, next += t->next_step) {
            __builtin_prefetch(next);
            HY_UNROLL(16)
            for (int s = 0; s < phases; s++, panel += vectors * HY_LANES)
                add_depth(at, k + (size_t)s, panel, scales, rows, vectors, half, sums[s]);
        }
        for (; phases > 1 && k < t->patches.run; k++, panel += vectors * HY_LANES)
            add_depth(at, k, panel, scales, rows, vectors, half, sums[0]);
        if (line >= t->patches.lines)
            break;
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++)
            at[r] += t->patches.rows ? t->patches.rows[r].step : t->patches.step;
    }
}

#endif
