#ifndef HY_TESTS_SCENARIOS_NUMERICS_FLOAT_DISTANCE_H
#define HY_TESTS_SCENARIOS_NUMERICS_FLOAT_DISTANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Smaller floats may count as zero, since flushing is outside of the claims. */
#define LEAST_NORMAL 0x1p-126

static inline uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Distance between adjacent floats around `x`. */
static inline double float_ulp(double x)
{
    const uint32_t exponent = float_bits((float)x) >> 23 & 0xff;
    const uint64_t bits = (uint64_t)(1023 - 150 + (exponent == 0 ? 1 : exponent)) << 52;
    double ulp;

    memcpy(&ulp, &bits, sizeof ulp);
    return ulp;
}

/*
 * Distance of `got` from the exact value in ulp. The exact value may be infinite or NaN. An exact
 * value beyond the largest float is infinity. An exact value below the smallest normal float may be
 * 0.
 */
static inline double float_distance(double exact, float got)
{
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : NAN;
    if (isinf((float)exact) || isinf(got)) {
        /* The largest float is allowed if the exact value is within an ulp of the rounding limit to
         * infinity. */
        const double beyond = fabs(exact) < 0x1p128 ? 1 : INFINITY;
        return (float)exact == got ? 0 : !signbit(exact) == !signbit(got) ? beyond : INFINITY;
    }
    if (fabs(exact) < LEAST_NORMAL && got == 0)
        return 0;
    return fabs((double)got - exact) / float_ulp(exact);
}

#endif
