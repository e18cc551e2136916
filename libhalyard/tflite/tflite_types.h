#ifndef HY_LIBHALYARD_TFLITE_TFLITE_TYPES_H
#define HY_LIBHALYARD_TFLITE_TFLITE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* The type of a tensor's elements, numbered as in the schema. */
enum hy_tflite_type {
#define TYPE(number, NAME, name, bits) HY_TFLITE_##NAME = number,
#include "libhalyard/tflite/tflite_types.def"
#undef TYPE
    HY_TFLITE_TYPE_COUNT
};

/* "float32"; "unknown" for a number outside the list. */
const char *hy_tflite_type_name(enum hy_tflite_type type);

/* Bits of one element (4 for int4, with two elements in a byte); 0 for a type without a fixed
 * size. */
unsigned hy_tflite_type_bits(enum hy_tflite_type type);

/* Bytes of a dense tensor; 0 for a type without a fixed size. False if the number does not fit in
 * 64 bits. */
bool hy_tflite_type_bytes(enum hy_tflite_type type, unsigned rank, const int32_t *dims,
                          uint64_t *bytes);

#endif
