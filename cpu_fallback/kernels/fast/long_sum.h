#ifndef HY_CPU_FALLBACK_KERNELS_FAST_LONG_SUM_H
#define HY_CPU_FALLBACK_KERNELS_FAST_LONG_SUM_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Sums of many vectors. A float32 sum of n numbers loses up to n / 2 ulp. Blocks of
 * HY_LONG_SUM_BLOCK vectors are therefore added in float32, and the block sums in double.
 */
#define HY_LONG_SUM_BLOCK 16u

/* All zero bytes: an empty sum. */
struct vf_long_sum {
    double lanes[HY_LANES];
};

static inline void vf_long_sum_add(struct vf_long_sum *sum, vf block)
{
    float lanes[HY_LANES];

    vf_store(lanes, block);
    for (size_t i = 0; i < HY_LANES; i++)
        sum->lanes[i] += (double)lanes[i];
}

/* The sum, each lane rounded to float32. */
static inline vf vf_long_sum_round(const struct vf_long_sum *sum)
{
    float lanes[HY_LANES];

    for (size_t i = 0; i < HY_LANES; i++)
        lanes[i] = (float)sum->lanes[i];
    return vf_load(lanes);
}

#endif
