#ifndef HY_COMMON_BFLOAT_H
#define HY_COMMON_BFLOAT_H

#include <stdint.h>
#include <string.h>

/*
 * bfloat16 as its 16 bits: the upper half of a float32. Widening is exact; narrowing rounds to
 * nearest, ties to even, overflows to infinity and keeps NaN a (quiet) NaN.
 */

static inline float hy_bfloat_to_float(uint16_t bfloat)
{
    const uint32_t bits = (uint32_t)bfloat << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t hy_bfloat_from_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x0040);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
