#include "common/half.h"

#include <math.h>
#include <string.h>

float hy_half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 0x1f;
    const float fraction = (float)(half & 0x3ff);
    float value;
    if (exponent == 0x1f)
        value = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = fraction * 0x1p-24f;
    else
        value = ldexpf(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -value : value;
}

uint16_t hy_half_from_float(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size == 0)
        return sign;   /* frexpf has no exponent for it */
    if (size >= 65520) /* half a step above the largest */
        return sign | 0x7c00;

    /* Halves are multiples of a power of two that is 2^-24 at least. The multiple is exact in a
     * float, nearbyint rounds it to even, and a carry into the exponent comes out right by itself.
     */
    int exponent;
    frexpf(size, &exponent);
    const int step = exponent - 11 < -24 ? -24 : exponent - 11;
    const unsigned multiple = (unsigned)nearbyintf(ldexpf(size, -step));
    return (uint16_t)(sign + ((unsigned)(step + 24) << 10) + multiple);
}
