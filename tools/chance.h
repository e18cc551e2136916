#ifndef HY_TOOLS_CHANCE_H
#define HY_TOOLS_CHANCE_H

#include <stdint.h>

/* Numbers by chance, the same for the same seed on every machine (splitmix64). */
struct hy_chance {
    uint64_t state;
};

static inline uint64_t hy_chance_next(struct hy_chance *chance)
{
    uint64_t mixed = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* A number below `limit`, which is not 0. */
static inline uint32_t hy_chance_below(struct hy_chance *chance, uint32_t limit)
{
    return (uint32_t)(hy_chance_next(chance) >> 32) % limit;
}

/* Both numbers as one. */
static inline uint64_t hy_chance_mix(uint64_t mixed, uint64_t more)
{
    struct hy_chance chance = {mixed ^ more * UINT64_C(0xff51afd7ed558ccd)};
    return hy_chance_next(&chance);
}

#endif
