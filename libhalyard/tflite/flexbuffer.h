#ifndef HY_LIBHALYARD_TFLITE_FLEXBUFFER_H
#define HY_LIBHALYARD_TFLITE_FLEXBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A FlexBuffer whose root is a map of values by name: the options of custom operators. Every access
 * is checked against the length of the bytes, and each number of the file is read once per call.
 */
struct hy_flex_map {
    const uint8_t *bytes;
    size_t length;
    size_t values;  /* offset of the values */
    size_t keys;    /* offset of the offsets of the keys */
    uint32_t width; /* bytes of a value */
    uint32_t key_width;
    uint32_t count;
};

/* One value of a map: a number, or the offset of an object before the value. */
struct hy_flex_value {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    uint32_t width;
    uint8_t packed; /* type and width of the referenced object */
};

/* A sequence of numbers: of one type, or with a type for each. */
struct hy_flex_vector {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    uint32_t width;
    uint32_t count;
    /* type of all elements; 0: each element has its own type, stored after the last element */
    uint32_t type;
};

/* Keys are searched linearly: larger maps are refused. */
enum { HY_FLEX_MAX_KEYS = 256 };

/* False if the bytes are not a map of this kind. */
bool hy_flex_map_open(const void *bytes, size_t length, struct hy_flex_map *out);

/* The value of a key; false for an absent key. */
bool hy_flex_map_find(const struct hy_flex_map *map, const char *key, struct hy_flex_value *out);

/* False if the value is no number. */
bool hy_flex_number(const struct hy_flex_value *value, double *out);

/* True if the value is exactly the text. */
bool hy_flex_is_text(const struct hy_flex_value *value, const char *text);

/* False if the value is no vector, or if an element's type is no number. Each element has at least
 * one byte in the file. */
bool hy_flex_vector_open(const struct hy_flex_value *value, struct hy_flex_vector *out);

/* Element `index`, below the vector's count; false if the element is no number. */
bool hy_flex_vector_number(const struct hy_flex_vector *vector, uint32_t index, double *out);

#endif
