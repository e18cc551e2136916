#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TRANSFORM_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TRANSFORM_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Minimal filtering F(2x2, 3x3) (Winograd; Lavin and Gray, "Fast Algorithms for Convolutional
 * Neural Networks", 2015). The 2x2 outputs Y of a tile of 4x4 inputs d with a filter g are
 *
 *     Y = A' [(G g G') . (B' d B)] A      with . the element-wise product
 *
 *          1  0 -1  0            1   0   0
 *     B' = 0  1  1  0       G = 1/2 1/2 1/2       A' = 1  1  1  0
 *          0 -1  1  0           1/2 -1/2 1/2           0  1 -1 -1
 *          0  1  0 -1            0   0   1
 *
 * The products are summed over the input channels before the last transform: 16 products for each
 * pair of channels instead of 36. A vector has as many channels as lanes.
 */
#define WINOGRAD_IN        4 /* inputs along the side of a tile */
#define WINOGRAD_OUT       2 /* outputs along the side of a tile */
#define WINOGRAD_POSITIONS (WINOGRAD_IN * WINOGRAD_IN)

/* B' d, for a column or a line of d. */
HY_ALWAYS_INLINE void transform_four(const vf d[WINOGRAD_IN], vf t[WINOGRAD_IN])
{
    t[0] = vf_sub(d[0], d[2]);
    t[1] = vf_add(d[1], d[2]);
    t[2] = vf_sub(d[2], d[1]);
    t[3] = vf_sub(d[1], d[3]);
}

/* Computes B' d B for `count` channels, at most HY_LANES. Lines of d are `line`, pixels of d
 * `pixel`, and positions of the result `position` elements apart. */
HY_ALWAYS_INLINE void transform_inputs(const float *from, size_t line, size_t pixel, size_t count,
                                       float *to, size_t position)
{
    vf columns[WINOGRAD_IN][WINOGRAD_IN]; /* [j][u] */

    HY_UNROLL(16)
    for (size_t j = 0; j < WINOGRAD_IN; j++) {
        vf d[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_IN; i++) {
            const float *at = from + i * line + j * pixel;
            d[i] = count == HY_LANES ? vf_load(at) : vf_load_part(at, count);
        }
        transform_four(d, columns[j]);
    }
    HY_UNROLL(16)
    for (size_t u = 0; u < WINOGRAD_IN; u++) {
        const vf row[] = {columns[0][u], columns[1][u], columns[2][u], columns[3][u]};
        vf v[WINOGRAD_IN];
        transform_four(row, v);
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_IN; j++)
            vf_store(to + (u * WINOGRAD_IN + j) * position, v[j]);
    }
}

/* G g, for a column or a line of g. */
HY_ALWAYS_INLINE void transform_three(vf a, vf b, vf c, vf u[WINOGRAD_IN])
{
    const vf half = vf_set1(0.5f), ends = vf_add(a, c);

    u[0] = a;
    u[1] = vf_multiply(vf_add(ends, b), half);
    u[2] = vf_multiply(vf_sub(ends, b), half);
    u[3] = c;
}

/* Computes G g G' for one vector of output channels; taps of g are `tap` elements apart. */
HY_ALWAYS_INLINE void transform_filter(const float *from, size_t tap, vf u[WINOGRAD_POSITIONS])
{
    vf columns[3][WINOGRAD_IN];

    HY_UNROLL(16)
    for (size_t j = 0; j < 3; j++)
        transform_three(vf_load(from + j * tap), vf_load(from + (3 + j) * tap),
                        vf_load(from + (6 + j) * tap), columns[j]);
    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_IN; i++)
        transform_three(columns[0][i], columns[1][i], columns[2][i], u + i * WINOGRAD_IN);
}

/* Computes A' m A; positions of m are `position` elements apart. */
HY_ALWAYS_INLINE void transform_sums(const float *m, size_t position,
                                     vf y[WINOGRAD_OUT][WINOGRAD_OUT])
{
    vf columns[WINOGRAD_IN][WINOGRAD_OUT];

    HY_UNROLL(16)
    for (size_t j = 0; j < WINOGRAD_IN; j++) {
        vf d[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_IN; i++)
            d[i] = vf_load(m + (i * WINOGRAD_IN + j) * position);
        columns[j][0] = vf_add(vf_add(d[0], d[1]), d[2]);
        columns[j][1] = vf_sub(vf_sub(d[1], d[2]), d[3]);
    }
    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_OUT; i++) {
        y[i][0] = vf_add(vf_add(columns[0][i], columns[1][i]), columns[2][i]);
        y[i][1] = vf_sub(vf_sub(columns[1][i], columns[2][i]), columns[3][i]);
    }
}

#endif
