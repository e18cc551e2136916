#ifndef HY_TOOLS_STATS_H
#define HY_TOOLS_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Statistics of many durations, in nanoseconds. */
struct hy_stats {
    uint64_t min;
    uint64_t mean;
    uint64_t p50; /* percentiles by nearest rank: measured values */
    uint64_t p90;
    uint64_t p99;
    uint64_t max;
};

/* Sorts the samples. `count` is at least 1. */
struct hy_stats hy_stats_make(uint64_t *samples, size_t count);

#endif
