#include "cpu_fallback/kernels/to_float.h"

#include <math.h>
#include <string.h>

#include "common/half.h"

/* The loops over one stored type, with its range. */
#define QUANTISED(name, type, min, max) \
    static void load_##name(float scale, int32_t zero_point, size_t count, const type *in, \
                            float *out) \
    { \
        for (size_t i = 0; i < count; i++) \
            out[i] = (float)(in[i] - zero_point) * scale; \
    } \
\
    static void store_##name(float scale, int32_t zero_point, size_t count, const float *in, \
                             type *out) \
    { \
        for (size_t i = 0; i < count; i++) \
            out[i] = (type)rounded(in[i] / scale + (float)zero_point, min, max); \
    }

static float rounded(float value, float min, float max)
{
    if (!(value > min)) /* also NaN */
        return min;
    return value < max ? roundf(value) : max;
}

QUANTISED(u8, uint8_t, 0, UINT8_MAX)
QUANTISED(s8, int8_t, INT8_MIN, INT8_MAX)
QUANTISED(u16, uint16_t, 0, UINT16_MAX)
QUANTISED(s16, int16_t, INT16_MIN, INT16_MAX)

void hy_to_float_load(enum hy_element element, float scale, int32_t zero_point, size_t count,
                      const void *in, float *out)
{
    const uint16_t *halves = in;

    switch (element) {
    case HY_ELEMENT_F32:
        if (count > 0)
            memcpy(out, in, count * sizeof *out);
        break;
    case HY_ELEMENT_F16:
        for (size_t i = 0; i < count; i++)
            out[i] = hy_half_to_float(halves[i]);
        break;
    case HY_ELEMENT_U8:
        load_u8(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_S8:
        load_s8(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_U16:
        load_u16(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_S16:
        load_s16(scale, zero_point, count, in, out);
        break;
    default:
        break;
    }
}

void hy_to_float_store(enum hy_element element, float scale, int32_t zero_point, size_t count,
                       const float *in, void *out)
{
    uint16_t *halves = out;

    switch (element) {
    case HY_ELEMENT_F32:
        if (count > 0)
            memcpy(out, in, count * sizeof *in);
        break;
    case HY_ELEMENT_F16:
        for (size_t i = 0; i < count; i++)
            halves[i] = hy_half_from_float(in[i]);
        break;
    case HY_ELEMENT_U8:
        store_u8(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_S8:
        store_s8(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_U16:
        store_u16(scale, zero_point, count, in, out);
        break;
    case HY_ELEMENT_S16:
        store_s16(scale, zero_point, count, in, out);
        break;
    default:
        break;
    }
}
