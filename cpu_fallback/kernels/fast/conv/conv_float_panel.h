/*
 * The product of all rows of a unit with a panel of weights: a template. Each float convolution
 * includes the template once, after defining
 *   store_row(t, vectors, sums, out)    finishes and stores the sums of a row
 */

/* Adds set `from` to set `to`. */
HY_ALWAYS_INLINE void add_set(int rows, int vectors, const vf from[HY_TILE_ROWS][HY_PANEL_VECTORS],
                              vf to[HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            to[r][v] = vf_add(to[r][v], from[r][v]);
    }
}

/* Adds all sets of sums to the first. A loop that halves their number would spill the sums. */
HY_ALWAYS_INLINE void finish_phases(const struct tile *t, int rows, int vectors, int phases,
                                    vf sums[][HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    if (phases == 4) {
        add_set(rows, vectors, sums[2], sums[0]);
        add_set(rows, vectors, sums[3], sums[1]);
    }
    if (phases >= 2)
        add_set(rows, vectors, sums[1], sums[0]);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        store_row(t, vectors, sums[0][r], t->out + (size_t)r * t->out_step);
}

HY_ALWAYS_INLINE void multiply_phases(const struct tile *t, int rows, int vectors, bool half,
                                      int phases)
{
    vf sums[MOST_PHASES][HY_TILE_ROWS][HY_PANEL_VECTORS];

    sum_tile(t, rows, vectors, half, phases, sums);
    finish_phases(t, rows, vectors, phases, sums);
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors, bool half)
{
    multiply_phases(t, rows, vectors, half, 1);
}

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    multiply_phases(t, 1, vectors, false, MOST_PHASES);
}

#include "cpu_fallback/kernels/fast/conv/conv_dispatch.h"

/* Multiplies all rows of a unit by one panel. */
static inline void multiply_panel(struct tile t, size_t rows)
{
    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(&t, step, panel_part(t.columns));
        skip_rows(&t.patches, step);
        t.out += step * t.out_step;
        rows -= step;
    }
}
