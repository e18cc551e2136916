#ifndef HY_COMMON_OPERATIONS_OPERAND_TYPE_H
#define HY_COMMON_OPERATIONS_OPERAND_TYPE_H

#include "common/error.h"
#include "common/operations/operation.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Properties of operand types, from operand_types.def. The codes are those of
 * <android/NeuralNetworks.h>, and HY_TENSOR_INT64 and so on for org.halyard.operations. Types of
 * other extensions are not in the list: the driver with the extension describes them.
 */

enum hy_extension_type {
#define OPERAND_TYPE(...)
#define EXTENSION_TYPE(name, letter, bytes) HY_##name = HY_OPERATIONS_CODE(HALYARD_##name),
#include "common/operations/operand_types.def"
};

/* The number of table rows for types in signatures. */
#define HY_TYPE_NNAPI_ROWS 16
#define HY_TYPE_ROWS       (HY_TYPE_NNAPI_ROWS + HALYARD_OPERAND_TYPE_COUNT)

/* The row of a code; HY_TYPE_ROWS for types without signatures. */
static inline uint32_t hy_type_row(int32_t code)
{
    const uint32_t within = (uint32_t)code - HY_OPERATIONS_CODE(0);

    if (code >= 0 && code < HY_TYPE_NNAPI_ROWS)
        return (uint32_t)code;
    return within < HALYARD_OPERAND_TYPE_COUNT ? HY_TYPE_NNAPI_ROWS + within : HY_TYPE_ROWS;
}

/* The code of the type in row `row`. */
static inline int32_t hy_type_code(uint32_t row)
{
    return row < HY_TYPE_NNAPI_ROWS ? (int32_t)row
                                    : HY_OPERATIONS_CODE(0) + (int32_t)(row - HY_TYPE_NNAPI_ROWS);
}

/* The allowed scales of a type. */
enum hy_scale_rule {
    HY_SCALE_NONE,     /* 0, and zero point 0 */
    HY_SCALE_OPTIONAL, /* 0 or above, for a bias */
    HY_SCALE_NEEDED,   /* above 0 */
    HY_SCALE_ANY,      /* unchecked, with any zero point */
};

struct hy_operand_type_info {
    int32_t code;
    const char *name; /* "TENSOR_FLOAT32", "org.halyard.operations.TENSOR_INT64" */
    char letter;      /* in signatures.def; '-' for types without operations */
    bool is_scalar;
    uint8_t element_bytes; /* 0: not defined by the type alone (MODEL, OEM_SCALAR) */
    uint8_t feature_level; /* 1..8 */
    enum hy_scale_rule scale;
    int32_t zero_point_min;
    int32_t zero_point_max;
};

/* Extension codes begin here: prefix << 16 | code. */
#define HY_EXTENSION_TYPE_BASE 0x10000

static inline bool hy_type_is_extension(int32_t code)
{
    return code >= HY_EXTENSION_TYPE_BASE || code < 0; /* prefixes use all 16 high bits */
}

/* NULL for a type of another extension and for an unknown code. */
const struct hy_operand_type_info *hy_operand_type_info(int32_t code);

/* The type of a name ("TENSOR_FLOAT32"), or NULL. */
const struct hy_operand_type_info *hy_operand_type_find(const char *name);

/* The type with a letter of signatures.def; NULL for any other character. */
const struct hy_operand_type_info *hy_operand_type_of_letter(char letter);

/* "TENSOR_FLOAT32"; "an extension type" or "an unknown type" without a name. */
const char *hy_operand_type_name(int32_t code);

/* Bytes of an element; 0 if not defined by the type alone. */
uint32_t hy_operand_type_bytes(int32_t code);

/* True for types whose operands have a scale above 0: real = scale * (q - zero_point). */
bool hy_operand_type_is_quantised(int32_t code);

/* True for a finite scale above 0, compared as unsigned integer with 1 and the bits of FLT_MAX.
 * True for a subnormal scale, even if the thread flushes subnormals to zero. */
static inline bool hy_scale_is_good(float scale)
{
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    return bits - 1 < 0x7f7fffff;
}

/* Compares scales with a tolerance, because clients compute scales with different precision. Scales
 * that compare equal differ by less than half a step over 8 bits. */
bool hy_scale_is_same(float a, float b);

/*
 * Checks scale and zero point against the type. Extension types have neither. The caller handles
 * one exception: addOperand does not check TENSOR_INT32, only finish does. HY_BAD_DATA: unknown
 * type or invalid numbers; the text starts with the type's name.
 */
HY_MUST_CHECK enum hy_code hy_operand_type_check_quant(int32_t code, float scale,
                                                       int32_t zero_point, struct hy_error *err);

#endif
