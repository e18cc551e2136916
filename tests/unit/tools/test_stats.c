#include "tests/kit/test.h"

#include "tools/stats.h"

TEST(stats, percentiles_are_samples_by_nearest_rank)
{
    uint64_t samples[100];
    for (size_t i = 0; i < 100; i++)
        samples[i] = 100 - i;
    const struct hy_stats stats = hy_stats_make(samples, 100);
    EXPECT_INT(stats.min, 1);
    EXPECT_INT(stats.p50, 50);
    EXPECT_INT(stats.p90, 90);
    EXPECT_INT(stats.p99, 99);
    EXPECT_INT(stats.max, 100);
    EXPECT_INT(stats.mean, 50);
}

TEST(stats, one_sample_is_every_percentile)
{
    uint64_t sample = 7;
    const struct hy_stats stats = hy_stats_make(&sample, 1);
    EXPECT_INT(stats.min, 7);
    EXPECT_INT(stats.p50, 7);
    EXPECT_INT(stats.p99, 7);
    EXPECT_INT(stats.max, 7);
}
