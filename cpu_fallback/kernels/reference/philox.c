#include "cpu_fallback/kernels/reference/philox.h"

#include <string.h>

struct hy_philox hy_philox_seeded(int32_t key, int32_t counter)
{
    uint64_t wide_key = (uint64_t)(int64_t)key, high = (uint64_t)(int64_t)counter;

    return (struct hy_philox){
        .counter = {0, 0, (uint32_t)high, (uint32_t)(high >> 32)},
        .key = {(uint32_t)wide_key, (uint32_t)(wide_key >> 32)},
        .used = 4,
    };
}

static void mix(uint32_t word[4], const uint32_t key[2])
{
    uint64_t a = UINT64_C(0xD2511F53) * word[0], b = UINT64_C(0xCD9E8D57) * word[2];

    word[0] = (uint32_t)(b >> 32) ^ word[1] ^ key[0];
    word[1] = (uint32_t)b;
    word[2] = (uint32_t)(a >> 32) ^ word[3] ^ key[1];
    word[3] = (uint32_t)a;
}

static void refill(struct hy_philox *philox)
{
    uint32_t key[2] = {philox->key[0], philox->key[1]};

    memcpy(philox->words, philox->counter, sizeof philox->words);
    for (int round = 0; round < 10; round++) {
        mix(philox->words, key);
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    for (int i = 0; i < 4 && ++philox->counter[i] == 0; i++)
        ; /* increments the counter, with carry */
    philox->used = 0;
}

static uint64_t next_word(struct hy_philox *philox)
{
    if (philox->used == 4)
        refill(philox);
    return philox->words[philox->used++];
}

double hy_philox_next(struct hy_philox *philox)
{
    uint64_t high = next_word(philox) & 0xFFFFF;
    return (double)(high << 32 | next_word(philox)) * 0x1p-52;
}

float hy_philox_float(struct hy_philox *philox)
{
    return (float)(next_word(philox) & 0x7FFFFF) * 0x1p-23f;
}
