#include "digest.h"

#include <string.h>

#define BLOCK 64u /* bytes that are taken in at a time */

/* Fractions of the cube roots of the first 64 primes, and of the square roots of the first 8. */
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t value, unsigned by)
{
    return value >> by | value << (32 - by);
}

/* Big-endian words, then those that follow from them. */
static void expand(const uint8_t *block, uint32_t words[64])
{
    for (unsigned i = 0; i < 16; i++, block += 4)
        words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
                   block[3];
    for (unsigned i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t words[64], s[8];
    expand(block, words);
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                               ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + words[i];
        const uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void sample_digest(const void *bytes, uint64_t length, uint8_t digest[HY_DIGEST_SIZE])
{
    const uint64_t whole = length / BLOCK * BLOCK, rest = length - whole;
    uint32_t state[8];
    uint8_t tail[2 * BLOCK] = {0};
    memcpy(state, start, sizeof state);
    for (uint64_t i = 0; i < whole; i += BLOCK)
        take_block(state, (const uint8_t *)bytes + i);

    /* A one bit behind the message, zeros, and its length in bits. */
    if (rest > 0)
        memcpy(tail, (const uint8_t *)bytes + whole, rest);
    tail[rest] = 0x80;
    const unsigned blocks = rest + 9 > BLOCK ? 2 : 1;
    for (unsigned i = 0; i < 8; i++)
        tail[blocks * BLOCK - 1 - i] = (uint8_t)(length * 8 >> 8 * i);
    for (unsigned i = 0; i < blocks; i++)
        take_block(state, tail + (size_t)i * BLOCK);
    for (unsigned i = 0; i < HY_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

/* ---- The quick one --------------------------------------------------------------------------- */

#define LANES 4u
#define FACTOR \
    UINT64_C(0x9e3779b97f4a7c15) /* odd: each step can be undone, so none loses a bit \
                                  */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * FACTOR;
    return sum ^ sum >> 32;
}

/* Four sums side by side keep a processor busy. */
uint64_t sample_checksum(const void *bytes, uint64_t length)
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
