#include "cpu_fallback/kernels/farmhash.h"

static const uint64_t k0 = UINT64_C(0xc3a5c85c97cb3127);
static const uint64_t k1 = UINT64_C(0xb492b66fbe98f273);
static const uint64_t k2 = UINT64_C(0x9ae16a3b2f90404f);

static uint64_t load_32(const uint8_t *at)
{
    return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static uint64_t load_64(const uint8_t *at)
{
    return load_32(at) | load_32(at + 4) << 32;
}

static uint64_t rotate(uint64_t value, int right)
{
    return value >> right | value << (64 - right);
}

static uint64_t mix(uint64_t value)
{
    return value ^ value >> 47;
}

static uint64_t combine(uint64_t u, uint64_t v, uint64_t factor)
{
    uint64_t a = mix((u ^ v) * factor);
    uint64_t b = mix((v ^ a) * factor);

    return b * factor;
}

static uint64_t hash_to_16(const uint8_t *at, size_t length)
{
    uint64_t factor = k2 + 2 * length;

    if (length >= 8) {
        uint64_t a = load_64(at) + k2, b = load_64(at + length - 8);
        uint64_t c = rotate(b, 37) * factor + a;
        uint64_t d = (rotate(a, 25) + b) * factor;
        return combine(c, d, factor);
    }
    if (length >= 4)
        return combine(length + (load_32(at) << 3), load_32(at + length - 4), factor);
    if (length > 0) {
        uint64_t y = at[0] + ((uint64_t)at[length / 2] << 8);
        uint64_t z = length + ((uint64_t)at[length - 1] << 2);
        return mix(y * k2 ^ z * k0) * k2;
    }
    return k2;
}

static uint64_t hash_to_32(const uint8_t *at, size_t length)
{
    uint64_t factor = k2 + 2 * length;
    uint64_t a = load_64(at) * k1, b = load_64(at + 8);
    uint64_t c = load_64(at + length - 8) * factor, d = load_64(at + length - 16) * k2;

    return combine(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + k2, 18) + c, factor);
}

static uint64_t hash_to_64(const uint8_t *at, size_t length)
{
    uint64_t factor = k2 + 2 * length;
    uint64_t a = load_64(at) * k2, b = load_64(at + 8);
    uint64_t c = load_64(at + length - 8) * factor, d = load_64(at + length - 16) * k2;
    uint64_t y = rotate(a + b, 43) + rotate(c, 30) + d;
    uint64_t z = combine(y, a + rotate(b + k2, 18) + c, factor);
    uint64_t e = load_64(at + 16) * factor, f = load_64(at + 24);
    uint64_t g = (y + load_64(at + length - 32)) * factor;
    uint64_t h = (z + load_64(at + length - 24)) * factor;

    return combine(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g, factor);
}

struct pair {
    uint64_t low, high;
};

/* The state of the hash of long texts between blocks. */
struct state {
    uint64_t x, y, z;
    struct pair v, w;
};

/* Hashes 32 bytes with seeds a and b. */
static struct pair hash_half(const uint8_t *at, uint64_t a, uint64_t b)
{
    uint64_t x = load_64(at + 8), y = load_64(at + 16), z = load_64(at + 24);

    a += load_64(at);
    b = rotate(b + a + z, 21);
    uint64_t c = a;
    a += x + y;
    b += rotate(a, 44);
    return (struct pair){a + z, b + c};
}

/* Hashes 64 bytes. The factors of the last block differ from those of other blocks: its own factor,
 * 9 and 9. */
static void hash_block(struct state *s, const uint8_t *at, uint64_t factor, uint64_t times)
{
    s->x = rotate(s->x + s->y + s->v.low + load_64(at + 8), 37) * factor;
    s->y = rotate(s->y + s->v.high + load_64(at + 48), 42) * factor;
    s->x ^= times * s->w.high;
    s->y += times * s->v.low + load_64(at + 40);
    s->z = rotate(s->z + s->w.low, 33) * factor;
    s->v = hash_half(at, s->v.high * factor, s->x + s->w.low);
    s->w = hash_half(at + 32, s->z + s->w.high, s->y + load_64(at + 16));
    uint64_t swapped = s->x;
    s->x = s->z;
    s->z = swapped;
}

static uint64_t hash_long(const uint8_t *at, size_t length)
{
    const uint64_t seed = 81;
    uint64_t y = seed * k1 + 113;
    struct state s = {.x = seed * k2 + load_64(at), .y = y, .z = mix(y * k2 + 113) * k2};

    for (size_t i = 0; i < (length - 1) / 64 * 64; i += 64)
        hash_block(&s, at + i, k1, 1);
    uint64_t factor = k1 + 2 * (s.z & 255);
    s.w.low += (length - 1) & 63;
    s.v.low += s.w.low;
    s.w.low += s.v.low;
    hash_block(&s, at + length - 64, factor, 9);
    return combine(combine(s.v.low, s.w.low, factor) + mix(s.y) * k0 + s.z,
                   combine(s.v.high, s.w.high, factor) + s.x, factor);
}

uint64_t hy_farmhash_64(const void *bytes, size_t length)
{
    if (length <= 16)
        return hash_to_16(bytes, length);
    if (length <= 32)
        return hash_to_32(bytes, length);
    if (length <= 64)
        return hash_to_64(bytes, length);
    return hash_long(bytes, length);
}
