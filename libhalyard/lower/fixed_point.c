#include "libhalyard/lower/fixed_point.h"

#include <math.h>

struct hy_multiplier hy_multiplier_of(double factor)
{
    int shift;

    if (!(factor < 0x1p30))
        return (struct hy_multiplier){INT32_MAX, 30};
    int64_t mantissa = llround(frexp(factor, &shift) * (double)(INT64_C(1) << 31));

    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        shift++;
    }
    if (mantissa == 0 || shift < -31)
        return (struct hy_multiplier){0, 0};
    return (struct hy_multiplier){(int32_t)mantissa, shift};
}

int32_t hy_doubled_high_product(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);

    if (a == INT32_MIN && b == INT32_MIN)
        return INT32_MAX;
    return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

int32_t hy_divide_by_power(int32_t value, int exponent)
{
    const int64_t half = exponent > 0 ? INT64_C(1) << (exponent - 1) : 0;
    const int64_t magnitude = value < 0 ? -(int64_t)value : value;
    const int64_t quotient = (magnitude + half) >> exponent;

    return (int32_t)(value < 0 ? -quotient : quotient);
}

static int32_t saturate(int64_t value)
{
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

int32_t hy_multiply(int32_t value, struct hy_multiplier multiplier)
{
    const int left = multiplier.shift > 0 ? multiplier.shift : 0;
    const int right = multiplier.shift < 0 ? -multiplier.shift : 0;
    const int32_t shifted = saturate((int64_t)value * (INT64_C(1) << left));

    return hy_divide_by_power(hy_doubled_high_product(shifted, multiplier.mantissa), right);
}
