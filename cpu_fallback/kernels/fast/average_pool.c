#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/long_sum.h"
#include "cpu_fallback/kernels/fast/pool_walk.h"
#include "cpu_fallback/kernels/fast/simd.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference.h"

/* AVERAGE_POOL_2D in float32 and 8 bits, a vector of channels at a time. */

#if HY_IS_FLOAT
typedef vf vector;

static inline vf zero(void)
{
    return vf_set1(0);
}

static inline vf add_part(vf sum, const float *from, size_t count)
{
    return vf_add(sum, vf_load_part(from, count));
}

/* Adds and divides as the reference does, so that both agree to the bit. */
static inline void store_mean(const struct hy_pool_params *p, vf sum, size_t cells, float *out,
                              size_t count)
{
    vf mean = vf_divide(sum, vf_set1((float)(cells ? cells : 1)));
    vf_store_part(out, vf_clamp(mean, vf_set1(p->activation.min), vf_set1(p->activation.max)),
                  count);
}
#else
typedef vi vector;

/* Sums of more bytes could leave 31 bits; such windows go to the reference. */
#define MOST_CELLS (1u << 22)

static inline vi zero(void)
{
    return vi_set1(0);
}

static inline vi add_part(vi sum, const HY_T *from, size_t count)
{
#if defined(HY_S8)
    return vi_add(sum, vi_load_s8_part(from, count));
#else
    return vi_add(sum, vi_load_u8_part(from, count));
#endif
}

static inline void store_mean(const struct hy_pool_params *p, vi sum, size_t cells, HY_T *out,
                              size_t count)
{
    int32_t sums[HY_LANES], n = cells ? (int32_t)cells : 1;

    vi_store(sums, sum);
    for (size_t i = 0; i < count; i++) {
        int32_t mean = (sums[i] > 0 ? sums[i] + n / 2 : sums[i] - n / 2) / n;
        out[i] = (HY_T)hy_clamp_int32(mean, p->activation.q_min, p->activation.q_max);
    }
}
#endif

/* The sums of a window, of `count` channels from `from` on. */
static inline vector sum_cells(const struct hy_pool_params *p, const HY_T *from,
                               struct hy_window rows, struct hy_window columns, size_t count)
{
    vector sum = zero();

    for (size_t y = rows.begin; y < rows.end; y++)
        for (size_t x = columns.begin; x < columns.end; x++)
            sum = add_part(sum, from + (y * p->in_w + x) * p->channels, count);
    return sum;
}

#if HY_IS_FLOAT
/* The same of more than HY_POOL_FEW cells. */
static inline vf sum_large(const struct hy_pool_params *p, const float *from, struct hy_window rows,
                           struct hy_window columns, size_t count)
{
    struct vf_long_sum total = {0};
    size_t left = HY_POOL_BLOCK;
    vf sum = zero();

    for (size_t y = rows.begin; y < rows.end; y++)
        for (size_t x = columns.begin; x < columns.end; x++) {
            sum = add_part(sum, from + (y * p->in_w + x) * p->channels, count);
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

static inline void average_window(const struct hy_pool_params *p, const HY_T *image,
                                  struct hy_window rows, struct hy_window columns, HY_T *out)
{
    const size_t cells = (rows.end - rows.begin) * (columns.end - columns.begin);

    for (size_t c = 0; c < p->channels; c += HY_LANES) {
        const size_t count = p->channels - c < HY_LANES ? p->channels - c : HY_LANES;
#if HY_IS_FLOAT
        if (cells > HY_POOL_FEW) {
            store_mean(p, sum_large(p, image + c, rows, columns, count), cells, out + c, count);
            continue;
        }
#endif
        store_mean(p, sum_cells(p, image + c, rows, columns, count), cells, out + c, count);
    }
}

void HY_SIMD_FN(average_pool)(const struct hy_pool_params *p, const void *in, void *out)
{
#if HY_IS_QUANT
    if ((uint64_t)p->filter_h * p->filter_w > MOST_CELLS) {
        HY_FN(average_pool)(p, in, out);
        return;
    }
#endif
    pool_windows(p, in, out, average_window);
}
