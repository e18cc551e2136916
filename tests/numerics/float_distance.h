#ifndef HY_TESTS_NUMERICS_FLOAT_DISTANCE_H
#define HY_TESTS_NUMERICS_FLOAT_DISTANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Floats below this may count as zero: which are kept is no claim of these tests. */
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

/* The distance of two neighbours among the floats around `x`. */
static inline double float_ulp(double x)
{
    const uint32_t exponent = float_bits((float)x) >> 23 & 0xff;
    const uint64_t bits = (uint64_t)(1023 - 150 + (exponent == 0 ? 1 : exponent)) << 52;
    double ulp;

    memcpy(&ulp, &bits, sizeof ulp);
    return ulp;
}

/*
 * How many ulp `got` is from the exact value, which may be infinite or NaN. An exact value beyond
 * the largest float is infinity, one below the smallest normal float may be 0.
 */
static inline double float_distance(double exact, float got)
{
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : NAN;
    if (isinf((float)exact) || isinf(got)) {
        /* The largest float, where the exact value is within an ulp of what rounds to infinity. */
        const double beyond = fabs(exact) < 0x1p128 ? 1 : INFINITY;
        return (float)exact == got ? 0 : !signbit(exact) == !signbit(got) ? beyond : INFINITY;
    }
    if (fabs(exact) < LEAST_NORMAL && got == 0)
        return 0;
    return fabs((double)got - exact) / float_ulp(exact);
}

#endif
