#include <math.h>

#include "common/half.h"
#include "tests/kit/test.h"

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value by its definition: sign, exponent, fraction. */
static double value_of(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

TEST(half, every_half_widens_exactly_and_narrows_back)
{
    unsigned wrong = 0;

    for (uint32_t half = 0; half <= 0xffff; half++) {
        float wide = hy_half_to_float_soft((uint16_t)half);
        uint16_t back = hy_half_from_float_soft(wide);
        if ((half & 0x7c00) == 0x7c00 && half & 0x3ff)
            wrong += !isnan(wide) || back != (half | 0x200);
        else if ((half & 0x7c00) == 0x7c00)
            wrong += !isinf(wide) || back != half;
        else
            wrong += (double)wide != value_of((uint16_t)half) || back != half;
        wrong += (half >> 15 != 0) != (signbit(wide) != 0);
    }
    EXPECT_INT(wrong, 0);
}

TEST(half, all_halves_are_widened_at_any_address)
{
    static unsigned char bytes[2 * 65536 + 1];
    static float floats[65536];
    unsigned wrong = 0;

    for (uint32_t half = 0; half <= 0xffff; half++)
        memcpy(bytes + 1 + 2 * half, &(uint16_t){(uint16_t)half}, 2);
    hy_halves_to_floats(bytes + 1, 65536, floats);
    for (uint32_t half = 0; half <= 0xffff; half++) {
        const float one = hy_half_to_float((uint16_t)half);
        wrong += memcmp(&one, &floats[half], sizeof one) != 0;
    }
    EXPECT_INT(wrong, 0);
}

/* Between each pair of neighbours: just below, at, and just above the middle. */
TEST(half, narrowing_rounds_to_nearest_and_ties_to_even)
{
    unsigned wrong = 0;

    for (uint16_t half = 0; half < 0x7bff; half++) {
        uint16_t above = (uint16_t)(half + 1), even = half & 1 ? above : half;
        float middle = (float)((value_of(half) + value_of(above)) / 2);
        wrong += hy_half_from_float_soft(middle) != even;
        wrong += hy_half_from_float_soft(nextafterf(middle, 0)) != half;
        wrong += hy_half_from_float_soft(nextafterf(middle, INFINITY)) != above;
        wrong += hy_half_from_float_soft(-middle) != (even | 0x8000);
    }
    EXPECT_INT(wrong, 0);
}

TEST(half, narrowing_overflows_to_infinity_and_keeps_nan)
{
    EXPECT_INT(hy_half_from_float_soft(65504.0f), 0x7bff);
    EXPECT_INT(hy_half_from_float_soft(nextafterf(65520.0f, 0)), 0x7bff);
    EXPECT_INT(hy_half_from_float_soft(65520.0f), 0x7c00);
    EXPECT_INT(hy_half_from_float_soft(-INFINITY), 0xfc00);
    EXPECT_INT(hy_half_from_float_soft(from_bits(0x7f800001)), 0x7e00);
    EXPECT_INT(hy_half_from_float_soft(from_bits(0xffc00000)), 0xfe00);
    EXPECT_INT(hy_half_from_float_soft(0x1p-25f), 0);
    EXPECT_INT(hy_half_from_float_soft(nextafterf(0x1p-25f, 1)), 1);
    EXPECT_INT(hy_half_from_float_soft(from_bits(1)), 0);
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("f16c"))) static uint16_t narrow_by_instruction(float value)
{
    return (uint16_t)_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}

__attribute__((target("f16c"))) static float widen_by_instruction(uint16_t half)
{
    return _cvtsh_ss(half);
}

TEST(half, software_agrees_with_the_instruction)
{
    unsigned wrong = 0;

    if (!__builtin_cpu_supports("avx2")) /* every such machine has F16C */
        return;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {
        float value = from_bits((uint32_t)bits);
        wrong += hy_half_from_float_soft(value) != narrow_by_instruction(value);
    }
    for (uint32_t half = 0; half <= 0xffff; half++) {
        const float soft = hy_half_to_float_soft((uint16_t)half);
        const float hard = widen_by_instruction((uint16_t)half);
        wrong += memcmp(&soft, &hard, sizeof soft) != 0;
    }
    EXPECT_INT(wrong, 0);
}
#endif
