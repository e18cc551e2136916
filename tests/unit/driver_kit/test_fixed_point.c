/* Integers times real multipliers. */
#include "common/random.h"
#include "driver_kit/fixed_point.h"
#include "tests/kit/test.h"

#include <math.h>

static double value_of(struct hy_multiplier m)
{
    return ldexp(m.mantissa, m.exponent - 31);
}

TEST(fixed_point, multipliers_are_normal_and_close)
{
    struct hy_random r = {1};

    for (int i = 0; i < 2000; i++) {
        double real =
            ldexp(1 + (double)hy_random_real(&r, -1, 1) / 2, hy_random_between(&r, -28, 28));
        struct hy_multiplier m = hy_multiplier_from_double(real);
        EXPECT(m.mantissa >= 1 << 30);
        EXPECT(fabs(value_of(m) - real) <= real * 0x1p-31);
    }
}

TEST(fixed_point, odd_multipliers_saturate_or_vanish)
{
    EXPECT_INT(hy_multiplier_from_double(0).mantissa, 0);
    EXPECT_INT(hy_multiplier_from_double(-1).mantissa, 0);
    EXPECT_INT(hy_multiplier_from_double(0x1p-40).mantissa, 0);
    EXPECT_INT(hy_multiplier_from_double(5e-324).mantissa, 0);
    EXPECT_INT(hy_multiplier_from_double(NAN).exponent, 30);
    EXPECT_INT(hy_multiplier_from_double(INFINITY).mantissa, INT32_MAX);
    EXPECT_INT(hy_multiplier_from_double(1e300).exponent, 30);

    struct hy_multiplier up = hy_multiplier_from_double(nextafter(1, 0)); /* mantissa 2^31 */
    EXPECT_INT(up.mantissa, 1 << 30);
    EXPECT_INT(up.exponent, 1);
}

TEST(fixed_point, multipliers_are_the_nearest_of_31_bits)
{
    struct hy_random r = {2};

    for (int i = 0; i < 20000; i++) {
        int exponent;
        /* Sums of a few powers of two are often halfway between two multipliers. */
        double real =
            ldexp(1, hy_random_between(&r, -40, 29)) + ldexp(1, hy_random_between(&r, -60, 10));
        real += ldexp(1, hy_random_between(&r, -70, 20));
        int64_t want = llround(frexp(real, &exponent) * 0x1p31);
        struct hy_multiplier m = hy_multiplier_from_double(real);
        if (want == INT64_C(1) << 31) {
            want /= 2;
            exponent++;
        }
        if (exponent < -31)
            want = exponent = 0;
        if (real < 0x1p30) {
            EXPECT_INT(m.mantissa, want);
            EXPECT_INT(m.exponent, exponent);
        }
    }
}

TEST(fixed_point, halves_round_up_or_away)
{
    struct hy_multiplier quarter = hy_multiplier_from_double(0.25);

    EXPECT_INT(quarter.exponent, -1);
    EXPECT_INT(hy_scale_half_up(6, quarter), 2);
    EXPECT_INT(hy_scale_half_up(-6, quarter), -1);
    EXPECT_INT(hy_scale_half_away(6, quarter), 2);
    EXPECT_INT(hy_scale_half_away(-6, quarter), -2);
    EXPECT_INT(hy_scale_half_away(-7, quarter), -2);
    EXPECT_INT(hy_scale_half_away(-5, quarter), -1);
}

TEST(fixed_point, extreme_operands_saturate)
{
    struct hy_multiplier big = {INT32_MAX, 30}, small = {INT32_MAX, -31};

    EXPECT_INT(hy_scale_half_up(INT32_MAX, big), INT32_MAX - 1);
    EXPECT(hy_scale_half_up(INT32_MIN, big) < -(1 << 30));
    EXPECT_INT(hy_scale_half_away(INT32_MAX, small), 1);
    EXPECT_INT(hy_scale_half_away(INT32_MIN, small), -1);
}
