#ifndef HY_LIBHALYARD_TFLITE_METADATA_FLEXBUFFER_H
#define HY_LIBHALYARD_TFLITE_METADATA_FLEXBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A FlexBuffer whose root is a map of numbers by name: the options of custom operators. Every
 * access is checked against the bytes that are there.
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

/* False where the bytes are no such map. */
bool hy_flex_map_open(const void *bytes, size_t length, struct hy_flex_map *out);

/* The number behind a key; `absent` where there is none, or the value is no number. */
double hy_flex_map_number(const struct hy_flex_map *map, const char *key, double absent);

#endif
