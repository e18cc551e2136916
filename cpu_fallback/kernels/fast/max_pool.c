#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/pool_walk.h"
#include "cpu_fallback/kernels/fast/simd/shorts.h"

/* MAX_POOL_2D in float32, 8 and 16 bits, a vector of channels at a time. */

#if HY_IS_FLOAT
enum { LANES = HY_LANES };
typedef vf vector;

static inline vf lowest(void)
{
    return vf_set1(-__builtin_inff());
}

static inline vf load_part(const float *from, size_t count)
{
    return vf_load_part(from, count);
}

/* Where x is NaN the instruction returns its second operand. */
static inline vf larger(vf x, vf max)
{
    return vf_max(x, max);
}

static inline void store_part(const struct hy_pool_params *p, vf max, float *out, size_t count)
{
    vf_store_part(out, vf_clamp(max, vf_set1(p->activation.min), vf_set1(p->activation.max)),
                  count);
}
#elif defined(HY_S16)
enum { LANES = 2 * HY_LANES };
typedef vi vector;

static inline vi lowest(void)
{
    return vs_set1(INT16_MIN);
}

static inline vi load_part(const int16_t *from, size_t count)
{
    return count == LANES ? vi_load(from) : vs_load_part(from, count);
}

static inline vi larger(vi x, vi max)
{
    return vs_max(x, max);
}

static inline void store_part(const struct hy_pool_params *p, vi max, int16_t *out, size_t count)
{
    const vi raised = vs_max(max, vs_set1(p->activation.q_min));
    vs_store_part(out, vs_min(raised, vs_set1(p->activation.q_max)), count);
}
#else
enum { LANES = HY_BYTE_LANES };
typedef vi vector;

#define IS_SIGNED ((HY_T)-1 < 0)

static inline vi lowest(void)
{
    return vb_set1(IS_SIGNED ? INT8_MIN : 0);
}

static inline vi load_part(const HY_T *from, size_t count)
{
    return vb_load_part(from, count);
}

static inline vi larger(vi x, vi max)
{
    return vb_max(x, max, IS_SIGNED);
}

static inline void store_part(const struct hy_pool_params *p, vi max, HY_T *out, size_t count)
{
    vi raised = vb_max(max, vb_set1(p->activation.q_min), IS_SIGNED);
    vb_store_part(out, vb_min(raised, vb_set1(p->activation.q_max), IS_SIGNED), count);
}
#endif

/* `count` channels from `c` on. */
HY_ALWAYS_INLINE void max_vector(const struct pool_window *w, int pixels, size_t c, size_t count,
                                 HY_T *out)
{
    const size_t step = pool_step(w);
    vector max[POOL_GROUP];

    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        max[q] = lowest();
    for (size_t y = w->rows.begin; y < w->rows.end; y++)
        for (size_t x = w->columns.begin; x < w->columns.end; x++) {
            const HY_T *cell = pool_cell(w, y, x, c);
            HY_UNROLL(4)
            for (int q = 0; q < pixels; q++)
                max[q] = larger(load_part(cell + (size_t)q * step, count), max[q]);
        }
    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        store_part(w->p, max[q], out + (size_t)q * w->p->channels + c, count);
}

HY_ALWAYS_INLINE void max_windows(const struct pool_window *w, int pixels, HY_T *out)
{
    const size_t channels = w->p->channels, whole = channels / LANES * LANES;

    for (size_t c = 0; c < whole; c += LANES)
        max_vector(w, pixels, c, LANES, out);
    if (whole < channels)
        max_vector(w, pixels, whole, channels - whole, out);
}

void HY_SIMD_FN(max_pool)(const struct hy_pool_params *p, const void *in, void *out)
{
    pool_lines(p, in, out, max_windows);
}
