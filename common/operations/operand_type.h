#ifndef HY_COMMON_OPERATIONS_OPERAND_TYPE_H
#define HY_COMMON_OPERATIONS_OPERAND_TYPE_H

#include "common/error.h"
#include "common/operations/operation.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * What is true of every operand of a type. The facts stand in operand_types.def; codes are those of
 * <android/NeuralNetworks.h>, and HY_TENSOR_INT64 and so on for org.halyard.operations. The types
 * of other extensions are not in the list: their facts come from the driver that offers them.
 */

enum hy_extension_type {
#define OPERAND_TYPE(...)
#define EXTENSION_TYPE(name, letter, bytes) HY_##name = HY_OPERATIONS_CODE(HALYARD_##name),
#include "common/operations/operand_types.def"
};

/* The rows of the types that signatures have. */
#define HY_TYPE_NNAPI_ROWS 16
#define HY_TYPE_ROWS       (HY_TYPE_NNAPI_ROWS + HALYARD_OPERAND_TYPE_COUNT)

/* The row of a code; HY_TYPE_ROWS for one that no signature has. */
static inline uint32_t hy_type_row(int32_t code)
{
    const uint32_t within = (uint32_t)code - HY_OPERATIONS_CODE(0);

    if (code >= 0 && code < HY_TYPE_NNAPI_ROWS)
        return (uint32_t)code;
    return within < HALYARD_OPERAND_TYPE_COUNT ? HY_TYPE_NNAPI_ROWS + within : HY_TYPE_ROWS;
}

/* The code of the type that has row `row`. */
static inline int32_t hy_type_code(uint32_t row)
{
    return row < HY_TYPE_NNAPI_ROWS ? (int32_t)row
                                    : HY_OPERATIONS_CODE(0) + (int32_t)(row - HY_TYPE_NNAPI_ROWS);
}

/* What the scale of a type may be. */
enum hy_scale_rule {
    HY_SCALE_NONE,     /* 0; the zero point too */
    HY_SCALE_OPTIONAL, /* 0 or above: a bias may carry one */
    HY_SCALE_NEEDED,   /* above 0 */
    HY_SCALE_ANY,      /* not looked at, nor is the zero point */
};

struct hy_operand_type_info {
    int32_t code;
    const char *name; /* "TENSOR_FLOAT32", "org.halyard.operations.TENSOR_INT64" */
    char letter;      /* in signatures.def; '-' where no operation takes the type */
    bool is_scalar;
    uint8_t element_bytes; /* 0: the type alone does not tell (MODEL, OEM_SCALAR) */
    uint8_t feature_level; /* 1..8 */
    enum hy_scale_rule scale;
    int32_t zero_point_min;
    int32_t zero_point_max;
};

/* Codes from this on belong to extensions: prefix << 16 | code. */
#define HY_EXTENSION_TYPE_BASE 0x10000

static inline bool hy_type_is_extension(int32_t code)
{
    return code >= HY_EXTENSION_TYPE_BASE || code < 0; /* prefixes use all 16 high bits */
}

/* NULL for a type of another extension and for a code that does not exist. */
const struct hy_operand_type_info *hy_operand_type_info(int32_t code);

/* The type of a name ("TENSOR_FLOAT32"), or NULL. */
const struct hy_operand_type_info *hy_operand_type_find(const char *name);

/* The type that a letter of signatures.def stands for; NULL for any other character. */
const struct hy_operand_type_info *hy_operand_type_of_letter(char letter);

/* "TENSOR_FLOAT32"; "an extension type" and "an unknown type" where there is no name. */
const char *hy_operand_type_name(int32_t code);

/* Bytes of one element; 0 for everything whose type alone does not tell. */
uint32_t hy_operand_type_bytes(int32_t code);

/* True for types whose operands carry one scale above 0: real = scale * (q - zero_point). */
bool hy_operand_type_is_quantised(int32_t code);

/* True for a scale above 0 that is finite: as unsigned integers, such floats are those from 1 to
 * the bits of FLT_MAX. A subnormal scale is one, also on a thread that counts it as zero. */
static inline bool hy_scale_is_good(float scale)
{
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    return bits - 1 < 0x7f7fffff;
}

/* Clients compute scales in different precisions, and some compare scales with a tolerance
 * themselves. Scales that are the same to this degree stay within half a step over 8 bits. */
bool hy_scale_is_same(float a, float b);

/*
 * Checks scale and zero point against the type. Extension types carry neither. (addOperand does not
 * ask about TENSOR_INT32, only finish does: that exception is the caller's.)
 * HY_BAD_DATA: unknown type, or numbers that do not suit it; the text starts with the type's name.
 */
HY_MUST_CHECK enum hy_code hy_operand_type_check_quant(int32_t code, float scale,
                                                       int32_t zero_point, struct hy_error *err);

#endif
