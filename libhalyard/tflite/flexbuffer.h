#ifndef HY_LIBHALYARD_TFLITE_FLEXBUFFER_H
#define HY_LIBHALYARD_TFLITE_FLEXBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A FlexBuffer whose root is a map of values by name: the options of custom operators. Every access
 * is checked against the bytes that are there, and each number of the file is read once per call.
 */
struct hy_flex_map {
    const uint8_t *bytes;
    size_t length;
    size_t values;  /* where the values begin */
    size_t keys;    /* where the offsets of the keys begin */
    uint32_t width; /* bytes of a value */
    uint32_t key_width;
    uint32_t count;
};

/* One value of a map: a number, or the offset of something that lies before it. */
struct hy_flex_value {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    uint32_t width;
    uint8_t packed; /* type and the width of what is behind the offset */
};

/* Numbers, one after the other: of one type, or of a type each. */
struct hy_flex_vector {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    uint32_t width;
    uint32_t count;
    uint32_t type; /* of all elements; 0: each has its own, behind the last one */
};

/* Keys are looked for one after the other: larger maps are none. */
enum { HY_FLEX_MAX_KEYS = 256 };

/* False where the bytes are no such map. */
bool hy_flex_map_open(const void *bytes, size_t length, struct hy_flex_map *out);

/* The value behind a key; false where there is none. */
bool hy_flex_map_find(const struct hy_flex_map *map, const char *key, struct hy_flex_value *out);

/* False where the value is no number. */
bool hy_flex_number(const struct hy_flex_value *value, double *out);

/* Whether the value is just this text. */
bool hy_flex_is_text(const struct hy_flex_value *value, const char *text);

/* False where the value is no vector, or has other elements than numbers by its type. Each element
 * has a byte of the file at least. */
bool hy_flex_vector_open(const struct hy_flex_value *value, struct hy_flex_vector *out);

/* Element `index`, below the vector's count; false as for a value. */
bool hy_flex_vector_number(const struct hy_flex_vector *vector, uint32_t index, double *out);

#endif
