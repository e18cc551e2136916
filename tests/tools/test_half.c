#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/half.h"

TEST(half, every_number_survives_the_way_through_float)
{
    unsigned changed = 0;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        const float value = hy_half_to_float((uint16_t)bits);
        if (isnan(value) ? !isnan(hy_half_to_float(hy_half_from_float(value)))
                         : hy_half_from_float(value) != bits)
            changed++;
    }
    EXPECT_INT(changed, 0);
}

TEST(half, known_numbers)
{
    EXPECT_INT(hy_half_from_float(1), 0x3c00);
    EXPECT_INT(hy_half_from_float(-2), 0xc000);
    EXPECT_INT(hy_half_from_float(65504), 0x7bff);
    EXPECT_INT(hy_half_from_float(65519), 0x7bff);
    EXPECT_INT(hy_half_from_float(65520), 0x7c00);
    EXPECT_INT(hy_half_from_float(0x1p-24f), 0x0001);
    EXPECT_INT(hy_half_from_float(0x1p-25f), 0x0000); /* a tie: to even */
    EXPECT_INT(hy_half_from_float(0x1.8p-24f), 0x0002);
    EXPECT_INT(hy_half_from_float(1 + 0x1p-11f), 0x3c00);
    EXPECT_INT(hy_half_from_float(1 + 0x1.8p-10f), 0x3c02);
}

/* As IEEE 754 defines a half: a sign, a power of two and a multiple of it. */
static float defined(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                        : exponent == 0 ? ldexpf((float)fraction, -24)
                                        : ldexpf((float)(1024 + fraction), exponent - 25);
    return half & 0x8000 ? -value : value;
}

TEST(half, all_halves_are_widened_as_defined_at_any_address)
{
    static unsigned char bytes[2 * 65536 + 1];
    static float floats[65536];

    for (uint32_t bits = 0; bits < 65536; bits++)
        memcpy(bytes + 1 + 2 * bits, &(uint16_t){(uint16_t)bits}, 2);
    hy_halves_to_floats(bytes + 1, 65536, floats);
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const float want = defined((uint16_t)bits), one = hy_half_to_float((uint16_t)bits);
        const bool same = isnan(want)
                              ? isnan(floats[bits]) && isnan(one)
                              : memcmp(&want, &floats[bits], 4) == 0 && memcmp(&want, &one, 4) == 0;
        if (!same)
            hy_test_fail(__FILE__, __LINE__, "half %#x is %g, expected %g", bits,
                         (double)floats[bits], (double)want);
    }
    hy_test_pass(__FILE__, __LINE__);
}
