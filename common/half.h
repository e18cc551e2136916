#ifndef HY_COMMON_HALF_H
#define HY_COMMON_HALF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

/*
 * IEEE 754 binary16 as its 16 bits, because some supported compilers have no such type. Widening is
 * exact; narrowing rounds to nearest, ties to even, overflows to infinity and keeps NaN a (quiet)
 * NaN. The hardware and the software version agree bit for bit, even if the thread flushes
 * subnormal floats to zero: a subnormal half is a normal float.
 */

/* Uses integer operations, so that compilers can vectorize a loop of calls. The exponent bias is 15
 * for a half and 127 for a float. A subnormal half is computed as the fraction of a float beyond
 * 2^-14, minus 2^-14; no subnormal float is read or made. */
static inline float hy_half_to_float_soft(uint16_t half)
{
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t normal = magnitude + ((127u - 15u) << 23);
    const uint32_t infinite = magnitude + ((255u - 31u) << 23);
    const uint32_t above = magnitude + ((127u - 14u) << 23);
    float subnormal, value;
    uint32_t bits;

    memcpy(&subnormal, &above, sizeof subnormal);
    subnormal -= 0x1p-14f;
    memcpy(&bits, &subnormal, sizeof bits);
    bits = magnitude < 1u << 23 ? bits : normal;
    bits = magnitude >= 31u << 23 ? infinite : bits;
    bits |= magnitude > 31u << 23 ? 1u << 22 : 0; /* NaN: quiet */
    bits |= (uint32_t)(half & 0x8000) << 16;
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

/* hy_half_to_float of `count` halves of any alignment. */
void hy_halves_to_floats(const void *halves, size_t count, float *floats);

#endif
