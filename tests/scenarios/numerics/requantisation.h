#ifndef HY_TESTS_SCENARIOS_NUMERICS_REQUANTISATION_H
#define HY_TESTS_SCENARIOS_NUMERICS_REQUANTISATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The two roundings of docs/numerics.md by definition: a real multiplier is mantissa / 2^31 times a
 * power of two, and quotients of whole numbers are rounded.
 */

typedef __int128 wide;

struct real_multiplier {
    int64_t mantissa; /* 2^30 to 2^31 - 1, or 0 */
    int exponent;
};

static inline struct real_multiplier real_multiplier(double m)
{
    int exponent;
    int64_t mantissa = llround(frexp(m, &exponent) * 0x1p31);

    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        exponent++;
    }
    if (mantissa == 0 || exponent < -31)
        return (struct real_multiplier){0, 0};
    return (struct real_multiplier){mantissa, exponent};
}

/* x / 2^bits, rounded to nearest; halves go up or away from zero. Shifts round down. */
static inline wide rounded(wide x, int bits, bool is_half_up)
{
    const wide half = bits ? (wide)1 << (bits - 1) : 0;

    if (is_half_up || x >= 0)
        return (x + half) >> bits;
    return -((-x + half) >> bits);
}

/* The doubled high product, rounded half up, followed by the shift by the exponent. */
static inline int64_t rescaled(int64_t x, struct real_multiplier m, bool is_half_up)
{
    const int left = m.exponent > 0 ? m.exponent : 0, right = m.exponent < 0 ? -m.exponent : 0;
    const wide high = rounded((wide)x * ((wide)1 << left) * m.mantissa, 31, true);

    return (int64_t)rounded(high, right, is_half_up);
}

static inline int32_t clamped(int64_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : (int32_t)value;
}

#endif
