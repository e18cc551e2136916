#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/long_sum.h"
#include "cpu_fallback/kernels/fast/pool_walk.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* AVERAGE_POOL_2D in float32, 8 and 16 bits, and L2_POOL_2D in float32, a vector of channels at a
 * time. */

#if HY_IS_FLOAT
typedef vf vector;

static inline vf zero(void)
{
    return vf_set1(0);
}

/* Adds, multiplies and divides in the order of the reference: the same bits. */
static inline vf add_part(enum hy_pooling op, vf sum, const float *from, size_t count)
{
    const vf x = vf_load_part(from, count);
    return vf_add(sum, op == HY_POOLING_L2 ? vf_multiply(x, x) : x);
}

static inline void store_mean(enum hy_pooling op, const struct hy_pool_params *p, vf sum,
                              size_t cells, float *out, size_t count)
{
    const vf mean = vf_divide(sum, vf_set1((float)(cells ? cells : 1)));
    const vf result = op == HY_POOLING_L2 ? vf_sqrt(mean) : mean;

    vf_store_part(out, vf_clamp(result, vf_set1(p->activation.min), vf_set1(p->activation.max)),
                  count);
}
#else
typedef vi vector;

/* Means of up to this many numbers are exact in float32; larger windows go to the reference. */
#if defined(HY_S16)
#define MOST_CELLS 511
#else
#define MOST_CELLS (1u << 16)
#endif

static inline vi zero(void)
{
    return vi_set1(0);
}

static inline vi add_part(enum hy_pooling op, vi sum, const HY_T *from, size_t count)
{
    (void)op;
#if defined(HY_S16)
    return vi_add(sum, vi_load_s16_part(from, count));
#elif defined(HY_S8)
    return vi_add(sum, vi_load_s8_part(from, count));
#else
    return vi_add(sum, vi_load_u8_part(from, count));
#endif
}

/*
 * Rounds halves away from zero: (sum + cells / 2) / cells rounded down, with the numerator reduced
 * by 1 if the sum is negative and a half may occur. Numerators stay below 2^24, so a quotient below
 * an integer is not rounded up to the integer.
 */
static inline void store_mean(enum hy_pooling op, const struct hy_pool_params *p, vi sum,
                              size_t cells, HY_T *out, size_t count)
{
    const int32_t n = cells ? (int32_t)cells : 1;
    const vi below = vi_max(vi_min(sum, vi_set1(0)), vi_set1(n % 2 == 0 ? -1 : 0));
    const vi numerator = vi_add(vi_add(sum, vi_set1(n / 2)), below);
    const vi mean = vi_floor(vf_divide(vf_from_vi(numerator), vf_set1((float)n)));
    const vi raised = vi_max(mean, vi_set1(p->activation.q_min));

    const vi clamped = vi_min(raised, vi_set1(p->activation.q_max));

    (void)op;
#if defined(HY_S16)
    vi_store_words_part(out, clamped, count);
#else
    vi_store_bytes_part(out, clamped, count);
#endif
}
#endif

/* Adds `pixels` windows, for `count` channels from `c` on. */
HY_ALWAYS_INLINE void sum_cells(enum hy_pooling op, const struct pool_window *w, int pixels,
                                size_t c, size_t count, vector sums[POOL_GROUP])
{
    const size_t step = pool_step(w);

    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        sums[q] = zero();
    for (size_t y = w->rows.begin; y < w->rows.end; y++)
        for (size_t x = w->columns.begin; x < w->columns.end; x++) {
            const HY_T *cell = pool_cell(w, y, x, c);
            HY_UNROLL(4)
            for (int q = 0; q < pixels; q++)
                sums[q] = add_part(op, sums[q], cell + (size_t)q * step, count);
        }
}

#if HY_IS_FLOAT
/* The sum of one window of more than HY_POOL_FEW cells. */
HY_ALWAYS_INLINE vf sum_large(enum hy_pooling op, const struct pool_window *w, size_t c,
                              size_t count)
{
    struct vf_long_sum total = {0};
    size_t left = HY_POOL_BLOCK;
    vf sum = zero();

    for (size_t y = w->rows.begin; y < w->rows.end; y++)
        for (size_t x = w->columns.begin; x < w->columns.end; x++) {
            sum = add_part(op, sum, pool_cell(w, y, x, c), count);
            if (--left > 0)
                continue;
            vf_long_sum_add(&total, sum);
            sum = zero();
            left = HY_POOL_BLOCK;
        }
    vf_long_sum_add(&total, sum);
    return vf_long_sum_round(&total);
}
#endif

HY_ALWAYS_INLINE void pool_vector(enum hy_pooling op, const struct pool_window *w, int pixels,
                                  size_t c, size_t count, HY_T *out)
{
    const size_t cells = pool_cells(w);
    vector sums[POOL_GROUP];

#if HY_IS_FLOAT
    if (cells > HY_POOL_FEW) {
        for (int q = 0; q < pixels; q++)
            sums[q] = sum_large(op, w, c + (size_t)q * pool_step(w), count);
    } else {
        sum_cells(op, w, pixels, c, count, sums);
    }
#else
    sum_cells(op, w, pixels, c, count, sums);
#endif
    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        store_mean(op, w->p, sums[q], cells, out + (size_t)q * w->p->channels + c, count);
}

HY_ALWAYS_INLINE void pool_windows(enum hy_pooling op, const struct pool_window *w, int pixels,
                                   HY_T *out)
{
    const size_t channels = w->p->channels, whole = channels / HY_LANES * HY_LANES;

    for (size_t c = 0; c < whole; c += HY_LANES)
        pool_vector(op, w, pixels, c, HY_LANES, out);
    if (whole < channels)
        pool_vector(op, w, pixels, whole, channels - whole, out);
}

HY_ALWAYS_INLINE void average_windows(const struct pool_window *w, int pixels, HY_T *out)
{
    pool_windows(HY_POOLING_AVERAGE, w, pixels, out);
}

void HY_SIMD_FN(average_pool)(const struct hy_pool_params *p, const void *in, void *out)
{
#if HY_IS_QUANT
    if ((uint64_t)p->filter_h * p->filter_w > MOST_CELLS) {
        HY_FN(average_pool)(p, in, out);
        return;
    }
#endif
    pool_lines(p, in, out, average_windows);
}

#if HY_IS_FLOAT
HY_ALWAYS_INLINE void length_windows(const struct pool_window *w, int pixels, float *out)
{
    pool_windows(HY_POOLING_L2, w, pixels, out);
}

void HY_SIMD_FN(l2_pool)(const struct hy_pool_params *p, const void *in, void *out)
{
    pool_lines(p, in, out, length_windows);
}
#endif
