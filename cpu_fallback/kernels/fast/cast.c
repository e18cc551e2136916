#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/float_elements.h"

/* CAST: the template's type is the output type, and each input type has a function of its own.
 * Numbers go through float32, which holds halves and bytes exactly. The reference rounds int32 to
 * float32 for float16 too. For bytes the rounding is harmless, because an int32 outside the range
 * of a byte stays outside. */

#if HY_IS_FLOAT
static inline void store(HY_T *to, vf x, size_t count)
{
    vr_store_part(to, x, count);
}
#elif defined(HY_U8)
/* NaN becomes 0. */
static inline void store(HY_T *to, vf x, size_t count)
{
    const vf within = vf_min(vf_max(x, vf_set1(0)), vf_set1(UINT8_MAX));
    vi_store_bytes_part(to, vi_floor(within), count);
}
#else
/* Truncates; values outside 32 bits saturate, and NaN becomes 0. */
static inline void store(HY_T *to, vf x, size_t count)
{
    const vf most = vf_set1(0x1.fffffep+30f), size = vf_min(vf_abs(x), most);
    const vi whole = vi_floor(size), minus = vi_sub(vi_set1(0), whole);
    vf bits = vf_if_below(x, vf_set1(0), vf_of_bits(minus), vf_of_bits(whole));

    bits = vf_if_below(most, x, vf_of_bits(vi_set1(INT32_MAX)), bits);
    bits = vf_if_below(x, vf_sub(vf_set1(0), most), vf_of_bits(vi_set1(INT32_MIN)), bits);
    bits = vf_if_equal(x, x, bits, vf_set1(0));
    vf_store_part((float *)(void *)to, bits, count);
}
#endif

/* The kernel hy_cast_<from>_<set>_<type>. */
#define CAST(from, type) \
    void HY_SIMD_FN(cast_##from)(size_t count, const void *in, void *out) \
    { \
        const size_t rest = count % HY_LANES, whole = count - rest; \
        const type *values = in; \
        HY_T *results = out; \
\
        for (size_t i = 0; i < whole; i += HY_LANES) \
            store(results + i, load_##from(values + i, HY_LANES), HY_LANES); \
        if (rest > 0) \
            store(results + whole, load_##from(values + whole, rest), rest); \
    }

#if !defined(HY_F32)
static inline vf load_f32(const float *from, size_t count)
{
    return vf_load_part(from, count);
}

CAST(f32, float)
#endif
#if !defined(HY_F16)
static inline vf load_f16(const uint16_t *from, size_t count)
{
    return vf_load_half_part(from, count);
}

CAST(f16, uint16_t)
#endif
#if !defined(HY_I32)
static inline vf load_i32(const int32_t *from, size_t count)
{
    return vf_from_vi(vi_of_bits(vf_load_part((const float *)(const void *)from, count)));
}

CAST(i32, int32_t)
#endif
#if !defined(HY_U8)
static inline vf load_u8(const uint8_t *from, size_t count)
{
    return vf_from_vi(vi_load_u8_part(from, count));
}

CAST(u8, uint8_t)
#endif
