#ifndef HY_CPU_FALLBACK_KERNELS_HALF_H
#define HY_CPU_FALLBACK_KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

/*
 * IEEE binary16, stored as uint16_t because not every compiler of ours has a half type. Widening is
 * exact; narrowing rounds to nearest, ties to even, overflows to infinity and keeps NaN a (quiet)
 * NaN. Both forms agree bit for bit, also where the thread counts subnormal floats as zeros: a
 * subnormal half is a normal float.
 */

static inline float hy_half_to_float_soft(uint16_t half)
{
    const uint32_t magnitude = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t bits;
    float value;

    if (magnitude < 0x0400) { /* subnormal or zero, in units of 2^-24 */
        value = (float)magnitude * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    } else if (magnitude < 0x7c00) { /* the exponents of a float begin 112 earlier */
        bits = (magnitude << 13) + (UINT32_C(112) << 23);
    } else {
        bits = 0x7f800000 | magnitude << 13 | (magnitude > 0x7c00 ? 0x00400000 : 0);
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t hy_half_from_float_soft(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) /* NaN: quiet, the upper fraction bits kept */
        return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x03ff));
    if (bits >= 0x477ff000) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (bits < 0x38800000) { /* subnormal: the float adder rounds at the unit 2^-24 */
        float magnitude;
        memcpy(&magnitude, &bits, sizeof magnitude);
        magnitude += 0.5f; /* the unit of [0.5, 1) is 2^-24 */
        memcpy(&bits, &magnitude, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    bits += 0x0fff + (bits >> 13 & 1); /* may carry into the exponent, as it should */
    return (uint16_t)(sign | (bits - 0x38000000) >> 13);
}

static inline float hy_half_to_float(uint16_t half)
{
#ifdef __F16C__
    return _cvtsh_ss(half);
#else
    return hy_half_to_float_soft(half);
#endif
}

static inline uint16_t hy_half_from_float(float value)
{
#ifdef __F16C__
    return (uint16_t)_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
    return hy_half_from_float_soft(value);
#endif
}

#endif
