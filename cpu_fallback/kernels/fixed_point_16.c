#include "cpu_fallback/kernels/fixed_point_16.h"

#include "cpu_fallback/kernels/fixed_point.h"

enum { ONE = INT16_MAX }; /* the nearest to 1 in Q0 */

/* A constant below 1, rounded to Q0. */
#define Q0(value) ((int16_t)((value)*32768.0 + 0.5))

static int16_t shift_left(int16_t value, int shift)
{
    return hy_saturate_16((int64_t)value * (1 << shift));
}

/* exp(x) for a Q0 in [-1/4, 0): the Taylor series around -1/8. */
static int16_t exp_near_zero(int16_t x)
{
    int16_t a = hy_saturate_16(x + (1 << 12));
    int16_t a2 = hy_product_16(a, a), a3 = hy_product_16(a2, a), a4 = hy_product_16(a2, a2);
    int16_t thirds = hy_product_16(hy_saturate_16(hy_round_shift(a4, 2) + a3), Q0(1.0 / 3));
    int32_t rest = hy_round_shift(thirds + a2, 1);
    int16_t at_eighth = Q0(0.8824969025845955); /* exp(-1/8) */

    return hy_saturate_16(at_eighth + hy_product_16(at_eighth, hy_saturate_16(a + rest)));
}

/* exp(x) as a Q0, for x <= 0 with m integer bits in 0..7. */
static int16_t exp_negative(int16_t x, int m)
{
    /* exp(-2^k) for k from -2 to 4 */
    static const int16_t powers[] = {
        Q0(0.7788007830714049),    Q0(0.6065306597126334),  Q0(0.36787944117144233),
        Q0(0.1353352832366127),    Q0(0.01831563888873418), Q0(0.00033546262790251185),
        Q0(1.1253517471925912e-7),
    };
    int fraction = 15 - m, quarter = 1 << (fraction - 2);

    if (x == 0)
        return ONE;
    if (m > 5 && x < -32 * (1 << fraction))
        return 0;
    int rest = (x & (quarter - 1)) - quarter, whole = rest - x;
    int16_t result = exp_near_zero(shift_left((int16_t)rest, m));
    for (int k = -2; k <= 4 && k < m; k++)
        if (whole >> (fraction + k) & 1)
            result = hy_product_16(result, powers[k + 2]);
    return result;
}

/* 2 / (1 + x) as a Q2, for x a Q0 in [0, 1]: Newton's method from a linear guess. */
static int16_t twice_reciprocal(int16_t x)
{
    int16_t half = (int16_t)((x + ONE + 1) / 2);
    int16_t result = (int16_t)(23130 + hy_product_16(half, -15420)); /* 48/17 - 32/17 * half */

    for (int i = 0; i < 3; i++) {
        int16_t error = (int16_t)((1 << 13) - hy_product_16(half, result));
        result = hy_saturate_16(result + shift_left(hy_product_16(result, error), 2));
    }
    return result;
}

int16_t hy_tanh_16(int16_t x, int integer_bits)
{
    if (x == 0)
        return 0;
    int16_t negative = (int16_t)(x < 0 ? x : -x);
    /* Doubles the number by counting one more integer bit. */
    int16_t power = exp_negative(negative, integer_bits + 1);
    int16_t result = shift_left((int16_t)(twice_reciprocal(power) - (1 << 13)), 2);
    return (int16_t)(x < 0 ? -result : result);
}

int16_t hy_logistic_16(int16_t x, int integer_bits)
{
    if (x == 0)
        return 1 << 14;
    int16_t power = exp_negative((int16_t)(x < 0 ? x : -x), integer_bits);
    int16_t result = shift_left(twice_reciprocal(power), 1);
    return (int16_t)(x < 0 ? ONE - result : result);
}

/* The product of two 32-bit fixed-point numbers; its integer bits are those of both together. */
static int32_t product_32(int32_t a, int32_t b)
{
    return hy_clamp_int32(hy_high_product(a, (struct hy_multiplier){b, 0}), INT32_MIN, INT32_MAX);
}

static int32_t shift_left_32(int64_t value, int shift)
{
    return hy_clamp_int32(value * (1 << shift), INT32_MIN, INT32_MAX);
}

/* Newton's method on a value in [1/4, 1) with 3 integer bits. */
static int32_t inverse_sqrt_q3(int32_t value)
{
    const int32_t one = 1 << 28, three_halves = one + one / 2;
    int32_t half = hy_round_shift(value, 1), x = one;

    for (int i = 0; i < 5; i++) {
        int32_t cube = shift_left_32(product_32(product_32(x, x), x), 6);
        x = shift_left_32((int64_t)product_32(three_halves, x) - product_32(half, cube), 3);
    }
    return x;
}

struct hy_multiplier hy_inverse_sqrt(uint32_t value)
{
    const int32_t half_sqrt_2 = 1518500250; /* as a Q0 */
    int shift = 11;

    if (value <= 1)
        return (struct hy_multiplier){INT32_MAX, 0};
    for (; value >= 1u << 29; value /= 4)
        shift++;
    for (; value < 1u << 27; value *= 4)
        shift--;
    int32_t mantissa = product_32(inverse_sqrt_q3((int32_t)(value / 2)), half_sqrt_2);
    if (shift >= 0)
        return (struct hy_multiplier){mantissa, -shift};
    return (struct hy_multiplier){shift_left_32(mantissa, -shift), 0};
}
