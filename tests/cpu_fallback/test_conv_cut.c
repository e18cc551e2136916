#include "cpu_fallback/ops/conv_cut.h"

#include "test.h"

TEST(conv_cut, tasks_part_the_pixels_where_tiles_are_many_or_even)
{
    EXPECT(hy_conv_cut_is_by_pixels(1568, 4));
    EXPECT(hy_conv_cut_is_by_pixels(25, 4)); /* 6 or 7 each */
    EXPECT(hy_conv_cut_is_by_pixels(8, 4));
    EXPECT(hy_conv_cut_is_by_pixels(4, 2));
    EXPECT(hy_conv_cut_is_by_pixels(7, 1));
}

TEST(conv_cut, tasks_part_the_weights_where_tiles_are_few_or_uneven)
{
    EXPECT(!hy_conv_cut_is_by_pixels(7, 4)); /* three have 2, one has 1 */
    EXPECT(!hy_conv_cut_is_by_pixels(7, 2));
    EXPECT(!hy_conv_cut_is_by_pixels(9, 4));
    EXPECT(!hy_conv_cut_is_by_pixels(3, 2));
    EXPECT(!hy_conv_cut_is_by_pixels(4, 8));
}
