#include "libhalyard/tflite/flexbuffer.h"

#include <endian.h>
#include <math.h>
#include <string.h>

/* Types of values, from the upper six bits of a packed type; the lower two are the width. */
enum {
    TYPE_INT = 1,
    TYPE_UINT = 2,
    TYPE_FLOAT = 3,
    TYPE_STRING = 5,
    TYPE_INDIRECT_INT = 6,
    TYPE_INDIRECT_UINT = 7,
    TYPE_INDIRECT_FLOAT = 8,
    TYPE_MAP = 9,
    TYPE_VECTOR = 10, /* of elements with a type each */
    TYPE_VECTOR_INT = 11,
    TYPE_VECTOR_UINT = 12,
    TYPE_VECTOR_FLOAT = 13,
    TYPE_VECTOR_INT2 = 16, /* of two: int, uint, float; then of three and of four */
    TYPE_VECTOR_FLOAT4 = 24,
    TYPE_BOOL = 26,
    TYPE_VECTOR_BOOL = 36,
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

/* The position at an offset before `at`. */
static bool follow(const uint8_t *bytes, size_t length, size_t at, uint32_t width, size_t *out)
{
    uint64_t offset;
    if (!load(bytes, length, at, width, &offset) || offset > at)
        return false;
    *out = at - (size_t)offset;
    return true;
}

/* ---- Maps ------------------------------------------------------------------------------------ */

bool hy_flex_map_open(const void *from, size_t length, struct hy_flex_map *out)
{
    const uint8_t *bytes = from;
    uint64_t count, key_width, key_count;
    size_t map, keys;

    /* The last byte is the width of the root, the byte before it the root's type. */
    if (length < 3)
        return false;
    const uint32_t root_width = bytes[length - 1], packed = bytes[length - 2];
    const uint32_t type = packed >> 2, width = 1u << (packed & 3);
    if (type != TYPE_MAP || root_width > 8 || root_width + 2 > length ||
        !follow(bytes, length, length - 2 - root_width, root_width, &map))
        return false;

    /* Before the values: the offset of the keys, the width of a key's offset, the count. */
    if (map < 3 * (size_t)width || !load(bytes, length, map - width, width, &count) ||
        !load(bytes, length, map - 2 * (size_t)width, width, &key_width) ||
        !follow(bytes, length, map - 3 * (size_t)width, width, &keys))
        return false;
    if (count > HY_FLEX_MAX_KEYS || key_width == 0 || key_width > 8 || keys < key_width ||
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

bool hy_flex_map_find(const struct hy_flex_map *map, const char *key, struct hy_flex_value *out)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (!is_key(map, i, key))
            continue;
        *out = (struct hy_flex_value){
            .bytes = map->bytes,
            .length = map->length,
            .at = map->values + (size_t)i * map->width,
            .width = map->width,
            .packed = map->bytes[map->values + (size_t)map->count * map->width + i],
        };
        return true;
    }
    return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool real(uint64_t bits, uint32_t width, double *out)
{
    const uint32_t low = (uint32_t)bits;
    float single;

    if (width == sizeof single) {
        memcpy(&single, &low, sizeof single);
        *out = (double)single;
        return true;
    }
    memcpy(out, &bits, sizeof *out);
    return width == sizeof *out;
}

static bool number(const struct hy_flex_value *value, uint32_t type, double *out)
{
    uint64_t bits;

    if (!load(value->bytes, value->length, value->at, value->width, &bits))
        return false;
    switch (type) {
    case TYPE_INT: /* the sign bit of a narrow number is its highest */
        bits <<= 64 - 8 * value->width;
        *out = (double)((int64_t)bits >> (64 - 8 * value->width));
        return true;
    case TYPE_UINT:
    case TYPE_BOOL:
        *out = (double)bits;
        return true;
    case TYPE_FLOAT:
        return real(bits, value->width, out);
    default:
        return false;
    }
}

/* The referenced value, with the width of the packed type. */
static bool indirect(const struct hy_flex_value *value, struct hy_flex_value *out)
{
    *out = *value;
    out->width = 1u << (value->packed & 3);
    return follow(value->bytes, value->length, value->at, value->width, &out->at);
}

bool hy_flex_number(const struct hy_flex_value *value, double *out)
{
    struct hy_flex_value direct = *value;
    uint32_t type = value->packed >> 2;
    double found;

    if (type >= TYPE_INDIRECT_INT && type <= TYPE_INDIRECT_FLOAT) {
        type -= TYPE_INDIRECT_INT - TYPE_INT;
        if (!indirect(value, &direct))
            return false;
    }
    if (!number(&direct, type, &found) || isnan(found))
        return false;
    *out = found;
    return true;
}

bool hy_flex_is_text(const struct hy_flex_value *value, const char *text)
{
    const size_t size = strlen(text);
    struct hy_flex_value from;
    uint64_t length;

    return value->packed >> 2 == TYPE_STRING && indirect(value, &from) && from.at >= from.width &&
           load(from.bytes, from.length, from.at - from.width, from.width, &length) &&
           length == size && inside(from.length, from.at, size) &&
           memcmp(from.bytes + from.at, text, size) == 0;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* The type of the elements, 0 for elements with a type each, and their count where the type has
 * one; false for what is no vector of numbers. */
static bool elements_of(uint32_t type, uint32_t *element, uint32_t *fixed)
{
    *fixed = 0;
    if (type == TYPE_VECTOR) {
        *element = 0;
    } else if (type == TYPE_VECTOR_BOOL) {
        *element = TYPE_BOOL;
    } else if (type >= TYPE_VECTOR_INT && type <= TYPE_VECTOR_FLOAT) {
        *element = TYPE_INT + type - TYPE_VECTOR_INT;
    } else if (type >= TYPE_VECTOR_INT2 && type <= TYPE_VECTOR_FLOAT4) {
        *element = TYPE_INT + (type - TYPE_VECTOR_INT2) % 3;
        *fixed = 2 + (type - TYPE_VECTOR_INT2) / 3;
    } else {
        return false;
    }
    return true;
}

bool hy_flex_vector_open(const struct hy_flex_value *value, struct hy_flex_vector *out)
{
    struct hy_flex_value from;
    uint32_t type, fixed;
    uint64_t count;

    if (!elements_of(value->packed >> 2, &type, &fixed) || !indirect(value, &from))
        return false;
    count = fixed;
    if (fixed == 0 && (from.at < from.width ||
                       !load(from.bytes, from.length, from.at - from.width, from.width, &count)))
        return false;
    if (count > from.length || count > UINT32_MAX ||
        !inside(from.length, from.at, (size_t)count * (from.width + (type == 0))))
        return false;
    *out = (struct hy_flex_vector){.bytes = from.bytes,
                                   .length = from.length,
                                   .at = from.at,
                                   .width = from.width,
                                   .count = (uint32_t)count,
                                   .type = type};
    return true;
}

bool hy_flex_vector_number(const struct hy_flex_vector *vector, uint32_t index, double *out)
{
    const uint8_t *types = vector->bytes + vector->at + (size_t)vector->count * vector->width;
    const struct hy_flex_value element = {
        .bytes = vector->bytes,
        .length = vector->length,
        .at = vector->at + (size_t)index * vector->width,
        .width = vector->width,
        .packed = (uint8_t)(vector->type ? vector->type << 2 : types[index]),
    };

    return hy_flex_number(&element, out);
}
