#ifndef HY_COMMON_RANDOM_H
#define HY_COMMON_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Random numbers (splitmix64), equal for equal seeds on every machine. Any seed is valid. */
struct hy_random {
    uint64_t state; /* initially the seed */
};

/* 64 random bits. */
static inline uint64_t hy_random_next(struct hy_random *random)
{
    uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* 0 to limit - 1; the limit must not be 0. */
static inline uint32_t hy_random_below(struct hy_random *random, uint32_t limit)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the callers give a limit of 1 or more */
    return (uint32_t)(hy_random_next(random) >> 32) % limit;
}

/* low to high, both included. */
static inline int32_t hy_random_between(struct hy_random *random, int32_t low, int32_t high)
{
    const uint64_t span = (uint64_t)((int64_t)high - low + 1);
    return (int32_t)(low + (int64_t)(hy_random_next(random) % span));
}

/* True with probability 1 / times. */
static inline bool hy_random_one_in(struct hy_random *random, uint32_t times)
{
    return hy_random_next(random) % times == 0;
}

/* low to high in 2^24 steps; high is excluded if the steps are exact. */
static inline float hy_random_real(struct hy_random *random, float low, float high)
{
    return low + (high - low) * ((float)(hy_random_next(random) >> 40) * 0x1p-24f);
}

/* Combines both numbers. */
static inline uint64_t hy_random_mix(uint64_t mixed, uint64_t more)
{
    struct hy_random random = {mixed ^ more * UINT64_C(0xff51afd7ed558ccd)};
    return hy_random_next(&random);
}

#endif
