#ifndef HY_COMMON_OPERATIONS_OPERATION_H
#define HY_COMMON_OPERATIONS_OPERATION_H

#include <stdint.h>

/* The operations of the API, from ops.def: HY_OP_ADD is 0, as ANEURALNETWORKS_ADD. */
enum hy_op {
#define OP(code, name, ...) HY_OP_##name = (code),
#include "common/operations/ops.def"
    HY_OP_COUNT,
};

#define HY_OP_MANY UINT32_MAX /* no upper limit of operands */

/* The row of a code in tables of HY_OP_COUNT + 1 rows, the last of which is zero: codes that
 * ops.def does not have get the last row. */
static inline uint32_t hy_op_row(int32_t code)
{
    return code >= 0 && code < HY_OP_COUNT ? (uint32_t)code : HY_OP_COUNT;
}

struct hy_operation_info {
    int32_t code;
    const char *name;       /* "CONV_2D" */
    uint32_t feature_level; /* 1..8, of the operation's first form */
    uint32_t inputs_min;
    uint32_t inputs_max; /* or HY_OP_MANY */
    uint32_t outputs_min;
    uint32_t outputs_max; /* or HY_OP_MANY */
};

/* NULL for extension operations, OEM_OPERATION and codes that do not exist. */
const struct hy_operation_info *hy_operation_info(int32_t code);

/* The operation of a name ("CONV_2D"), or NULL. */
const struct hy_operation_info *hy_operation_find(const char *name);

/* "CONV_2D"; "an extension operation", "OEM_OPERATION" or "an unknown operation" otherwise. */
const char *hy_operation_name(int32_t code);

#endif
