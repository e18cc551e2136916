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

/* ---- The least piece ------------------------------------------------------------------------- */

static size_t hundred_units(const struct hy_conv_params *params)
{
    (void)params;
    return 100;
}

static size_t least_of(uint32_t tasks, double us)
{
    static const struct hy_conv_kernel kernel = {.name = "of 100 units", .units = hundred_units};
    static const struct hy_conv_params params = {0};
    const struct hy_conv_work work = {.kernel = &kernel, .params = &params};

    return hy_conv_cut_least(&work, (struct hy_cpu_choice){.tasks = tasks}, us);
}

TEST(conv_cut, what_is_short_or_one_task_is_one_piece)
{
    EXPECT_INT(least_of(2, 19), 100);
    EXPECT_INT(least_of(1, 1000), 100);
}

TEST(conv_cut, the_least_piece_takes_some_time)
{
    EXPECT_INT(least_of(2, 40), 51);
    EXPECT_INT(least_of(2, 1000), 3);
    EXPECT_INT(least_of(2, 1e6), 1);
}
