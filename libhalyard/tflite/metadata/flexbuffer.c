#include "libhalyard/tflite/metadata/flexbuffer.h"

#include <endian.h>
#include <math.h>
#include <string.h>

/* Types of values, from the upper six bits of a packed type; the lower two are the width. */
enum {
    TYPE_INT = 1,
    TYPE_UINT = 2,
    TYPE_FLOAT = 3,
    TYPE_INDIRECT_INT = 6,
    TYPE_INDIRECT_UINT = 7,
    TYPE_INDIRECT_FLOAT = 8,
    TYPE_MAP = 9,
    TYPE_BOOL = 26,
};

static bool inside(size_t length, size_t at, size_t bytes)
{
    return at <= length && bytes <= length - at;
}

static bool load(const uint8_t *bytes, size_t length, size_t at, uint32_t width, uint64_t *out)
{
    uint64_t value = 0;
    if (!inside(length, at, width))
        return false;
    memcpy(&value, bytes + at, width);
    *out = le64toh(value);
    return true;
}

/* A place that lies an offset before `at`. */
static bool follow(const uint8_t *bytes, size_t length, size_t at, uint32_t width, size_t *out)
{
    uint64_t offset;
    if (!load(bytes, length, at, width, &offset) || offset > at)
        return false;
    *out = at - (size_t)offset;
    return true;
}

bool hy_flex_map_open(const void *from, size_t length, struct hy_flex_map *out)
{
    const uint8_t *bytes = from;
    uint64_t count, key_width, key_count;
    size_t map, keys;

    /* The last byte is the width of the root, the byte before it the root's type. */
    if (length < 3)
        return false;
    const uint32_t root_width = bytes[length - 1];
    const uint32_t type = bytes[length - 2] >> 2, width = 1u << (bytes[length - 2] & 3);
    if (type != TYPE_MAP || root_width > 8 || root_width + 2 > length ||
        !follow(bytes, length, length - 2 - root_width, root_width, &map))
        return false;

    /* Before the values: the offset of the keys, the width of a key's offset, the count. */
    if (map < 3 * (size_t)width || !load(bytes, length, map - width, width, &count) ||
        !load(bytes, length, map - 2 * (size_t)width, width, &key_width) ||
        !follow(bytes, length, map - 3 * (size_t)width, width, &keys))
        return false;
    if (count > length || key_width == 0 || key_width > 8 || keys < key_width ||
        !load(bytes, length, keys - (size_t)key_width, (uint32_t)key_width, &key_count) ||
        key_count != count || !inside(length, map, (size_t)count * (width + 1)) ||
        !inside(length, keys, (size_t)count * (size_t)key_width))
        return false;
    *out = (struct hy_flex_map){.bytes = bytes,
                                .length = length,
                                .values = map,
                                .keys = keys,
                                .width = width,
                                .key_width = (uint32_t)key_width,
                                .count = (uint32_t)count};
    return true;
}

static bool is_key(const struct hy_flex_map *map, uint32_t index, const char *key)
{
    const size_t at = map->keys + (size_t)index * map->key_width;
    const size_t size = strlen(key) + 1;
    size_t text;
    return follow(map->bytes, map->length, at, map->key_width, &text) &&
           inside(map->length, text, size) && memcmp(map->bytes + text, key, size) == 0;
}

static double real(uint64_t bits, uint32_t width, double absent)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;

    if (width == sizeof single) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    if (width != sizeof value)
        return absent;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double number_at(const struct hy_flex_map *map, uint32_t index, double absent)
{
    const uint8_t packed = map->bytes[map->values + (size_t)map->count * map->width + index];
    uint32_t type = packed >> 2, width = map->width;
    size_t at = map->values + (size_t)index * map->width;
    uint64_t bits;

    if (type >= TYPE_INDIRECT_INT && type <= TYPE_INDIRECT_FLOAT) {
        if (!follow(map->bytes, map->length, at, width, &at))
            return absent;
        width = 1u << (packed & 3);
        type -= TYPE_INDIRECT_INT - TYPE_INT;
    }
    if (!load(map->bytes, map->length, at, width, &bits))
        return absent;
    switch (type) {
    case TYPE_INT: /* the sign bit of a narrow number is its highest */
        return (double)((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width));
    case TYPE_UINT:
    case TYPE_BOOL:
        return (double)bits;
    case TYPE_FLOAT:
        return real(bits, width, absent);
    default:
        return absent;
    }
}

double hy_flex_map_number(const struct hy_flex_map *map, const char *key, double absent)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (is_key(map, i, key)) {
            const double number = number_at(map, i, absent);
            return isfinite(number) ? number : absent;
        }
    }
    return absent;
}
