#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* The template's type is the output type; each input type has a function of its own. Doubles hold
 * every input exactly. */
#if HY_IS_FLOAT
static HY_T convert(double value)
{
    return HY_STORE((float)value);
}
#else
#if defined(HY_I32)
enum { MIN = INT32_MIN, MAX = INT32_MAX };
#else
enum { MIN = 0, MAX = UINT8_MAX };
#endif

static HY_T convert(double value)
{
    if (value <= MIN)
        return (HY_T)MIN;
    if (value >= MAX)
        return (HY_T)MAX;
    return value == value ? (HY_T)value : 0;
}
#endif

#define CAST(from, type, load) \
    void HY_FN(cast_##from)(size_t count, const void *in, void *out) \
    { \
        const type *values = in; \
        HY_T *results = out; \
\
        for (size_t i = 0; i < count; i++) \
            results[i] = convert(load(values[i])); \
    }

#define PLAIN(value) (value)

#if !defined(HY_F32)
CAST(f32, float, (double))
#endif
#if !defined(HY_F16)
CAST(f16, uint16_t, (double)hy_half_to_float)
#endif
#if !defined(HY_I32)
CAST(i32, int32_t, PLAIN)
#endif
#if !defined(HY_U8)
CAST(u8, uint8_t, PLAIN)
#endif
