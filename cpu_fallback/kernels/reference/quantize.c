#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX };
#elif defined(HY_U8)
enum { MIN = 0, MAX = UINT8_MAX };
#elif defined(HY_S16)
enum { MIN = INT16_MIN, MAX = INT16_MAX };
#else
enum { MIN = 0, MAX = UINT16_MAX };
#endif

static HY_T quantise(const struct hy_quantize_params *params, float value)
{
    float steps = (float)params->zero_point + roundf(value / params->scale);

    if (!(steps < MAX)) /* also NaN */
        return MAX;
    return steps > MIN ? (HY_T)steps : MIN;
}

/* The template's type is the output type; each input type has a function of its own. */
#define QUANTIZE(from, type, load) \
    void HY_FN(quantize_##from)(const struct hy_quantize_params *params, const void *in, \
                                void *out) \
    { \
        const type *values = in; \
        HY_T *results = out; \
\
        for (size_t i = 0; i < params->count; i++) \
            results[i] = quantise(params, load(values[i])); \
    }

#define PLAIN(value) (value)

QUANTIZE(f32, float, PLAIN)
QUANTIZE(f16, uint16_t, hy_half_to_float)
QUANTIZE(f64, double, (float))
QUANTIZE(bf16, uint16_t, hy_bfloat_to_float)
