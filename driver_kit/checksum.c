#include "driver_kit/checksum.h"

#include <string.h>

#define LANES 4u

/* Odd, so each multiplication is invertible and loses no bit. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * FACTOR;
    return sum ^ sum >> 32;
}

/* Four independent sums, for instruction-level parallelism. */
uint64_t hy_checksum(const void *bytes, uint64_t length)
{
    const uint8_t *at = bytes;
    uint64_t lanes[LANES] = {1, 2, 3, 4}, sum = length;
    for (; length >= sizeof lanes; length -= sizeof lanes, at += sizeof lanes) {
        uint64_t words[LANES];
        memcpy(words, at, sizeof words);
        for (unsigned i = 0; i < LANES; i++)
            lanes[i] = mix(lanes[i], words[i]);
    }
    for (; length > 0; length--)
        lanes[0] = mix(lanes[0], *at++);
    for (unsigned i = 0; i < LANES; i++)
        sum = mix(sum, lanes[i]);
    return sum;
}
