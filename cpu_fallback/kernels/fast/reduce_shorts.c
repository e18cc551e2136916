#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/mean_quant.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* MEAN of 16 bits if the last dimension is kept: the lanes of a vector are columns. */

/* Two vectors of sums, because a single vector would wait for its own sums. */
#define COLUMNS ((size_t)2 * HY_LANES)

/* The most shorts whose sum fits 32 bits. */
#define PIECE ((size_t)65535)

/* Adds `rows` rows, `step` apart, of `count` columns each, to the sums of columns. */
static inline void add_rows(const int16_t *in, size_t rows, size_t step, size_t count,
                            int64_t *sums)
{
    const size_t low = count < HY_LANES ? count : HY_LANES, high = count - low;
    vi first = vi_set1(0), second = vi_set1(0);
    int32_t part[COLUMNS];

    for (size_t i = 0; i < rows; i++, in += step) {
        first = vi_add(first, vi_load_s16_part(in, low));
        second = vi_add(second, vi_load_s16_part(in + low, high));
    }
    vi_store(part, first);
    vi_store(part + HY_LANES, second);
    for (size_t c = 0; c < COLUMNS; c++)
        sums[c] += part[c];
}

HY_ALWAYS_INLINE void sum_columns(const struct hy_walk *runs, const int16_t *in, size_t count,
                                  int64_t *sums)
{
    memset(sums, 0, COLUMNS * sizeof *sums);
    for (size_t r = 0; r < runs->dims[0]; r++)
        for (size_t i = 0; i < runs->dims[1]; i += PIECE) {
            const size_t left = runs->dims[1] - i, rows = left < PIECE ? left : PIECE;
            add_rows(in + r * runs->strides[0] + i * runs->strides[1], rows, runs->strides[1],
                     count, sums);
        }
}

void HY_SIMD_FN(reduce_mean_rescaled)(const struct hy_reduce_params *params, const void *in,
                                      void *out)
{
    const struct hy_walk *retained = &params->retained, *runs = &params->reduced;
    const size_t columns = retained->dims[1];
    struct hy_stop_watch *watch = hy_stop_here();
    int16_t *means = out;
    int64_t sums[COLUMNS];

    if (retained->strides[1] != 1) {
        hy_reduce_mean_rescaled_s16(params, in, out);
        return;
    }
    for (size_t i = 0; i < retained->dims[0]; i++, means += columns)
        for (size_t c = 0; c < columns; c += COLUMNS) {
            const int16_t *from = (const int16_t *)in + i * retained->strides[0] + c;
            const size_t count = columns - c < COLUMNS ? columns - c : COLUMNS;
            if (hy_stop_after(watch, runs->dims[0] * runs->dims[1] * COLUMNS))
                return;
            if (count == COLUMNS)
                sum_columns(runs, from, COLUMNS, sums);
            else
                sum_columns(runs, from, count, sums);
            for (size_t k = 0; k < count; k++)
                means[c + k] = hy_wide_mean_rescaled(params, sums[k]);
        }
}
