#include "tests/test.h"

#include <math.h>

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
