#include "tools/stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The smallest sample that `percent` of all do not exceed. */
static uint64_t percentile(const uint64_t *sorted, size_t count, unsigned percent)
{
    const size_t rank = (count * percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

struct hy_stats hy_stats_make(uint64_t *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, compare);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    /* The header asks for a sample. NOLINTBEGIN(clang-analyzer-core.DivideZero) */
    return (struct hy_stats){
        .min = samples[0],
        .mean = sum / count,
        .p50 = percentile(samples, count, 50),
        .p90 = percentile(samples, count, 90),
        .p99 = percentile(samples, count, 99),
        .max = samples[count - 1],
    };
    /* NOLINTEND(clang-analyzer-core.DivideZero) */
}
