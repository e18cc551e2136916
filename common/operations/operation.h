#ifndef HY_COMMON_OPERATIONS_OPERATION_H
#define HY_COMMON_OPERATIONS_OPERATION_H

#include "halyard/operations.h"

#include <stdint.h>

/*
 * Codes of extension operations. The upper half of a code is a prefix, assigned by the process on
 * first use of the extension. Halyard's own extension has a fixed prefix, and its codes are
 * constants.
 */
#define HY_OPERATIONS_PREFIX     32767
#define HY_OPERATIONS_CODE(code) (HY_OPERATIONS_PREFIX * 0x10000 + (code))

/* The operations of ops.def by code: HY_OP_ADD is 0, like ANEURALNETWORKS_ADD, and HY_EXT_ADD is
 * ADD of org.halyard.operations. */
enum hy_op {
#define OP(code, name, ...)     HY_OP_##name = (code),
#define EXTENSION_OP(name, ...) HY_EXT_##name = HY_OPERATIONS_CODE(HALYARD_##name),
#include "common/operations/ops.def"
};

#define HY_OP_NNAPI_COUNT 106
#define HY_OP_COUNT       (HY_OP_NNAPI_COUNT + HALYARD_OPERATION_COUNT)

#define HY_OP_MANY UINT32_MAX /* no upper limit on operands */

/* The table row of an operation, as a constant expression. */
#define HY_OP_ROW(code) ((code) < HY_OP_NNAPI_COUNT ? (code) : HY_OP_NNAPI_COUNT + ((code)&0xffff))

/* The row of any code in tables of HY_OP_COUNT + 1 rows. Unknown codes get the last row, which is
 * zeroed. */
static inline uint32_t hy_op_row(int32_t code)
{
    const uint32_t within = (uint32_t)code - HY_OPERATIONS_CODE(0);

    if (code >= 0 && code < HY_OP_NNAPI_COUNT)
        return (uint32_t)code;
    return within < HALYARD_OPERATION_COUNT ? HY_OP_NNAPI_COUNT + within : HY_OP_COUNT;
}

/* The code of the operation in row `row` < HY_OP_COUNT. */
static inline int32_t hy_op_code(uint32_t row)
{
    return row < HY_OP_NNAPI_COUNT ? (int32_t)row
                                   : HY_OPERATIONS_CODE(0) + (int32_t)(row - HY_OP_NNAPI_COUNT);
}

struct hy_operation_info {
    int32_t code;
    const char *name;       /* "CONV_2D", "org.halyard.operations.CEIL" */
    uint32_t feature_level; /* 1..8, of the first version of the operation */
    uint32_t inputs_min;
    uint32_t inputs_max; /* or HY_OP_MANY */
    uint32_t outputs_min;
    uint32_t outputs_max; /* or HY_OP_MANY */
};

/* NULL for operations of other extensions, OEM_OPERATION and unknown codes. */
const struct hy_operation_info *hy_operation_info(int32_t code);

/* The operation of a name ("CONV_2D"), or NULL. */
const struct hy_operation_info *hy_operation_find(const char *name);

/* "CONV_2D"; "an extension operation", "OEM_OPERATION" or "an unknown operation" without a name. */
const char *hy_operation_name(int32_t code);

#endif
