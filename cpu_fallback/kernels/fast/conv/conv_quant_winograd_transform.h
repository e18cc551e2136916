#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_QUANT_WINOGRAD_TRANSFORM_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_QUANT_WINOGRAD_TRANSFORM_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Minimal filtering F(4x4, 3x3) in integers. The 4x4 outputs Y of a tile of 6x6 inputs d with a
 * filter g are (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015)
 *
 *     Y = A' [(G g G') . (B' d B)] A      with . the element-wise product
 *
 * Here each line of G is multiplied by a factor that makes it integer, and the line of A' by the
 * rest of 24:
 *
 *          4  0 -5  0  1  0           6  0  0
 *          0 -4 -4  1  1  0           1  1  1          1 -4 -4  1  1  0     gives 24 y0
 *     B' = 0  4 -4 -1  1  0      G =  1 -1  1     A' = 0 -2  2  1 -1  0           12 y1
 *          0 -2 -1  2  1  0           1  2  4          0 -1 -1  1  1  0            6 y2
 *          0  2 -1 -2  1  0           1 -2  4          0 -1  1  2 -2  1            6 y3
 *          0  4  0 -5  0  1           0  0  6
 *
 * For inputs and weights of up to 9 bits, less their zero points, both operands of the products fit
 * 16 bits: |B' d B| <= 100 * 255 and |G g G'| <= 49 * 255.
 *
 * The sums may not fit 32 bits. The overflow is harmless, because only additions, subtractions and
 * multiplications follow, and these are right modulo 2^32. Output (i, j) is 9 * 2^s Y with s =
 * shift of i + shift of j. 9 has an inverse modulo 2^32. 2^s Y, at most 2^6 Y, is complete if |Y| <
 * 2^25. The outputs are therefore the same as those of the direct sum, to the bit.
 */
#define WINOGRAD_IN        6 /* inputs along the side of a tile */
#define WINOGRAD_OUT       4 /* outputs along the side of a tile */
#define WINOGRAD_POSITIONS (WINOGRAD_IN * WINOGRAD_IN)

/* Bound of the magnitude of outputs, before the bias. */
#define WINOGRAD_LIMIT (1 << 25)

/* B' d, for a column or a line of d, in 16 bits. */
HY_ALWAYS_INLINE void transform_six(const vi d[WINOGRAD_IN], vi t[WINOGRAD_IN])
{
    const vi even = vs_sub(d[4], vs_shift_left_by(d[2], 2));
    const vi odd = vs_sub(d[3], vs_shift_left_by(d[1], 2));
    const vi near_even = vs_sub(d[4], d[2]);
    const vi near_odd = vs_shift_left_by(vs_sub(d[3], d[1]), 1);

    t[0] = vs_add(vs_shift_left_by(vs_sub(d[0], d[2]), 2), near_even);
    t[1] = vs_add(even, odd);
    t[2] = vs_sub(even, odd);
    t[3] = vs_add(near_even, near_odd);
    t[4] = vs_sub(near_even, near_odd);
    t[5] = vs_sub(vs_sub(d[5], d[3]), vs_shift_left_by(near_odd, 1));
}

/* Inputs of 2 * HY_LANES channels in 16 bits. */
typedef vi load_inputs(const HY_T *from);

/* Computes B' d B for inputs at `from`. Input lines are `line`, input pixels `pixel`, and positions
 * of the result `position` elements apart. */
HY_ALWAYS_INLINE void transform_inputs(const HY_T *from, load_inputs *load, size_t line,
                                       size_t pixel, vi zero_point, int16_t *to, size_t position)
{
    vi columns[WINOGRAD_IN][WINOGRAD_IN]; /* [j][u] */

    for (size_t j = 0; j < WINOGRAD_IN; j++) {
        vi d[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_IN; i++)
            d[i] = vs_sub(load(from + i * line + j * pixel), zero_point);
        transform_six(d, columns[j]);
    }
    for (size_t u = 0; u < WINOGRAD_IN; u++) {
        vi row[WINOGRAD_IN], v[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_IN; j++)
            row[j] = columns[j][u];
        transform_six(row, v);
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_IN; j++)
            vi_store(to + (u * WINOGRAD_IN + j) * position, v[j]);
    }
}

/* Number of channels whose filters are transformed together. */
#define FILTER_RUN 16

/* G g for a column or a line of g. */
static inline void transform_three(const int16_t *a, const int16_t *b, const int16_t *c,
                                   int16_t u[WINOGRAD_IN][FILTER_RUN])
{
    for (size_t k = 0; k < FILTER_RUN; k++) {
        const int16_t ends = (int16_t)(a[k] + c[k]), far = (int16_t)(a[k] + 4 * c[k]);
        u[0][k] = (int16_t)(6 * a[k]);
        u[1][k] = (int16_t)(ends + b[k]);
        u[2][k] = (int16_t)(ends - b[k]);
        u[3][k] = (int16_t)(far + 2 * b[k]);
        u[4][k] = (int16_t)(far - 2 * b[k]);
        u[5][k] = (int16_t)(6 * c[k]);
    }
}

/* G g G' */
static inline void transform_filter(const int16_t g[9][FILTER_RUN],
                                    int16_t u[WINOGRAD_POSITIONS][FILTER_RUN])
{
    int16_t columns[3][WINOGRAD_IN][FILTER_RUN];

    for (size_t j = 0; j < 3; j++)
        transform_three(g[j], g[3 + j], g[6 + j], columns[j]);
    for (size_t i = 0; i < WINOGRAD_IN; i++)
        transform_three(columns[0][i], columns[1][i], columns[2][i], u + i * WINOGRAD_IN);
}

/* A' m for a column or a line of m. */
HY_ALWAYS_INLINE void transform_back(const vi m[WINOGRAD_IN], vi y[WINOGRAD_OUT])
{
    const vi near_sum = vi_add(m[1], m[2]), near_step = vi_sub(m[2], m[1]);
    const vi far_sum = vi_add(m[3], m[4]), far_step = vi_sub(m[3], m[4]);

    y[0] = vi_add(m[0], vi_sub(far_sum, vi_shift_left_by(near_sum, 2)));
    y[1] = vi_add(vi_shift_left_by(near_step, 1), far_step);
    y[2] = vi_sub(far_sum, near_sum);
    y[3] = vi_add(vi_add(near_step, m[5]), vi_shift_left_by(far_step, 1));
}

/* The exponent of 2 in the factor of output i of transform_back(); the rest of the factor is 3. */
HY_ALWAYS_INLINE int shift_of(size_t output)
{
    return output == 0 ? 3 : output == 1 ? 2 : 1;
}

/* Computes A' m A, scaled to the outputs; positions of m are `position` elements apart. */
HY_ALWAYS_INLINE void transform_sums(const int32_t *m, size_t position,
                                     vi y[WINOGRAD_OUT][WINOGRAD_OUT])
{
    const vi ninth = vi_set1(0x38e38e39); /* the inverse of 9 modulo 2^32 */
    vi columns[WINOGRAD_IN][WINOGRAD_OUT];

    HY_UNROLL(16)
    for (size_t j = 0; j < WINOGRAD_IN; j++) {
        vi d[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_IN; i++)
            d[i] = vi_load(m + (i * WINOGRAD_IN + j) * position);
        transform_back(d, columns[j]);
    }
    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_OUT; i++) {
        vi row[WINOGRAD_IN];
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_IN; j++)
            row[j] = columns[j][i];
        transform_back(row, y[i]);
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            y[i][j] = vi_shift_right_by(vi_multiply(y[i][j], ninth), shift_of(i) + shift_of(j));
    }
}

#endif
