#include "cpu_fallback/ops/conv/conv_cut.h"

#include "cpu_fallback/program/op.h"
#include "tests/kit/test.h"

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

/* ---- Blocks and tasks ------------------------------------------------------------------------ */

enum { PANEL = 16, TILES = 10, CHANNELS = 256 };

/* Ten tiles of pixels in each block. */
static size_t count_units(const struct hy_conv_params *params)
{
    const uint32_t block = params->block ? params->block : params->out_c;

    return (size_t)TILES * ((params->out_c + block - 1) / block);
}

static size_t mebibyte(const struct hy_conv_params *params)
{
    (void)params;
    return 1 << 20;
}

static const struct hy_conv_kernel kernel = {.name = "of ten tiles",
                                             .panel = PANEL,
                                             .products_per_us = 1e5,
                                             .units = count_units,
                                             .packed_bytes = mebibyte};

/* Of some 100 us. */
static const struct hy_conv_params params = {.batch = 1,
                                             .in_c = 512,
                                             .out_h = 8,
                                             .out_w = 8,
                                             .out_c = CHANNELS,
                                             .filter_h = 1,
                                             .filter_w = 1,
                                             .groups = 1};

static struct hy_conv_work work_of(uint32_t threads, uint64_t l2_bytes)
{
    return (struct hy_conv_work){.kernel = &kernel,
                                 .params = &params,
                                 .element_size = 1,
                                 .threads = threads,
                                 .l2_bytes = l2_bytes,
                                 .is_packed = true};
}

TEST(conv_cut, blocks_fill_parts_of_the_second_cache_the_rules_first)
{
    const struct hy_conv_work work = work_of(1, 1 << 20);
    struct hy_cpu_blockings blockings;
    double us;

    hy_conv_cut(&work, &blockings, &us);
    EXPECT_INT(blockings.count, 4);
    EXPECT_INT(blockings.selected, CHANNELS / 4);
    EXPECT_INT(blockings.blocks[0], CHANNELS / 4);
    EXPECT_INT(blockings.blocks[1], 0);
    EXPECT_INT(blockings.blocks[2], CHANNELS / 2);
    EXPECT_INT(blockings.blocks[3], CHANNELS / 8);
}

TEST(conv_cut, weights_that_the_second_cache_hardly_notices_leave_no_choice)
{
    const struct hy_conv_work work = work_of(2, 16 << 20);
    struct hy_cpu_blockings blockings;
    double us;

    hy_conv_cut(&work, &blockings, &us);
    EXPECT_INT(blockings.count, 1);
    EXPECT_INT(blockings.selected, 0);
}

TEST(conv_cut, blocks_that_are_not_on_the_list_are_not_taken)
{
    const struct hy_conv_work work = work_of(1, 1 << 20);
    struct hy_cpu_blockings blockings;
    double us;

    hy_conv_cut(&work, &blockings, &us);
    EXPECT(!hy_conv_cut_select(&blockings, 1));
    EXPECT_INT(blockings.selected, CHANNELS / 4);
    EXPECT(hy_conv_cut_select(&blockings, CHANNELS / 2));
    EXPECT_INT(blockings.selected, CHANNELS / 2);
}

TEST(conv_cut, every_thread_gets_a_task_that_is_worth_it)
{
    const struct hy_conv_work work = work_of(4, 1 << 20);

    EXPECT_INT(hy_conv_cut_tasks(&work, 0, 100), 4);
    EXPECT_INT(hy_conv_cut_tasks(&work, 0, 2 * HY_CPU_TASK_US), 2);
    EXPECT_INT(hy_conv_cut_tasks(&work, 0, 0), 1);
}

TEST(conv_cut, there_are_no_more_tasks_than_units)
{
    const struct hy_conv_work work = work_of(64, 1 << 20);
    struct hy_cpu_blockings blockings;
    double us;

    EXPECT_INT(hy_conv_cut_tasks(&work, 0, 1e6), TILES);
    EXPECT_INT(hy_conv_cut_tasks(&work, CHANNELS / 2, 1e6), 2 * TILES);
    hy_conv_cut(&work, &blockings, &us);
    EXPECT_INT(hy_conv_cut_most_tasks(&work, &blockings, 1e6), 64);
    EXPECT_INT(hy_conv_cut_most_tasks(&work, &blockings, 0), 1);
}

/* ---- The least piece ------------------------------------------------------------------------- */

TEST(conv_cut, what_is_short_or_one_task_is_one_piece)
{
    EXPECT_INT(hy_conv_cut_least(100, 2, 19), 100);
    EXPECT_INT(hy_conv_cut_least(100, 1, 1000), 100);
}

TEST(conv_cut, the_least_piece_takes_some_time)
{
    EXPECT_INT(hy_conv_cut_least(100, 2, 40), 51);
    EXPECT_INT(hy_conv_cut_least(100, 2, 1000), 3);
    EXPECT_INT(hy_conv_cut_least(100, 2, 1e6), 1);
}
