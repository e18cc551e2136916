#include "common/operations/operation.h"

#include "common/operations/operand_type.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define MANY HY_OP_MANY
static const struct hy_operation_info operations[HY_OP_COUNT + 1] = {
#define OP(code, name, level, in_min, in_max, out_min, out_max, ...) \
    [code] = {code, #name, level, in_min, in_max, out_min, out_max},
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, ...) \
    [HY_OP_ROW(HY_EXT_##name)] = { \
        HY_EXT_##name, HALYARD_OPERATIONS_NAME "." #name, 3, in_min, in_max, out_min, out_max},
#include "common/operations/ops.def"
};

#define OP(code, name, ...) static_assert((code) == (int)ANEURALNETWORKS_##name, "ops.def: " #name);
#define EXTENSION_OP(...)
#include "common/operations/ops.def"

const struct hy_operation_info *hy_operation_info(int32_t code)
{
    const struct hy_operation_info *info = &operations[hy_op_row(code)];

    return info->name ? info : NULL;
}

const struct hy_operation_info *hy_operation_find(const char *name)
{
    for (int i = 0; i < HY_OP_COUNT; i++)
        if (operations[i].name && strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

const char *hy_operation_name(int32_t code)
{
    const struct hy_operation_info *info = hy_operation_info(code);

    if (info)
        return info->name;
    if (code == ANEURALNETWORKS_OEM_OPERATION)
        return "OEM_OPERATION";
    return hy_type_is_extension(code) ? "an extension operation" : "an unknown operation";
}
