#include <math.h>

#include "cpu_fallback/kernels/types.h"
#include "tests/kit/test.h"

TEST(kernels_quant, activation_bounds_follow_the_table)
{
    struct hy_activation none = hy_activation_bounds(0, HY_ELEMENT_S8, 0.5f, 3);
    struct hy_activation relu = hy_activation_bounds(1, HY_ELEMENT_U8, 0.5f, 3);
    struct hy_activation relu1 = hy_activation_bounds(2, HY_ELEMENT_S8, 0.4f, -3);
    struct hy_activation relu6 = hy_activation_bounds(3, HY_ELEMENT_S8, 0.01f, 100);

    EXPECT_INT(none.q_min, -128);
    EXPECT_INT(none.q_max, 127);
    EXPECT(none.min == -INFINITY && none.max == INFINITY);
    EXPECT_INT(relu.q_min, 3);
    EXPECT_INT(relu.q_max, 255);
    EXPECT(relu.min == 0 && relu.max == INFINITY);
    EXPECT_INT(relu1.q_min, -6); /* -3 - round(2.5) */
    EXPECT_INT(relu1.q_max, 0);
    EXPECT(relu1.min == -1 && relu1.max == 1);
    EXPECT_INT(relu6.q_min, 100);
    EXPECT_INT(relu6.q_max, 127);
    EXPECT(relu6.min == 0 && relu6.max == 6);
}
