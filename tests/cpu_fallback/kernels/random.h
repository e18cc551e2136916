#ifndef HY_TESTS_KERNELS_RANDOM_H
#define HY_TESTS_KERNELS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A small seeded generator (splitmix64): the same numbers on every machine. */
struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* low..high, both included */
static inline int32_t random_between(struct random *random, int32_t low, int32_t high)
{
    uint64_t span = (uint64_t)((int64_t)high - low + 1);
    return (int32_t)(low + (int64_t)(random_next(random) % span));
}

/* [-1, 1) in steps of 2^-23 */
static inline float random_float(struct random *random)
{
    return (float)((int64_t)(random_next(random) >> 40) - (1 << 23)) * 0x1p-23f;
}

static inline int random_chance(struct random *random, int one_in)
{
    return random_between(random, 1, one_in) == 1;
}

#endif
