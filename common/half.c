#include "common/half.h"

#include <math.h>
#include <string.h>

/* In bits, so that compilers turn a loop of it into vectors. The exponent of a half counts from 15,
 * that of a float from 127. A subnormal half is the fraction of 2^-14 that its float has beyond
 * 2^-14; no subnormal float is read or made, which apps may have set to count as 0. */
static inline float widen(uint16_t half)
{
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t exponent = magnitude >> 23;
    const uint32_t normal = magnitude + ((127u - 15u) << 23);
    const uint32_t special = magnitude + ((255u - 31u) << 23);
    const uint32_t above = magnitude + ((127u - 14u) << 23);
    float subnormal, value;
    uint32_t bits;

    memcpy(&subnormal, &above, sizeof subnormal);
    subnormal -= 0x1p-14f;
    memcpy(&bits, &subnormal, sizeof bits);
    bits = exponent == 0 ? bits : normal;
    bits = exponent == 31 ? special : bits;
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float hy_half_to_float(uint16_t half)
{
    return widen(half);
}

void hy_halves_to_floats(const void *halves, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, (const char *)halves + i * sizeof half, sizeof half);
        floats[i] = widen(half);
    }
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
