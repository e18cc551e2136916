#include "common/operations/operation.h"

#include "common/operations/operand_type.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define MANY HY_OP_MANY
static const struct hy_operation_info operations[] = {
#define OP(code, name, level, in_min, in_max, out_min, out_max, ...) \
    [code] = {code, #name, level, in_min, in_max, out_min, out_max},
#include "common/operations/ops.def"
};

#define OP(code, name, ...) static_assert((code) == (int)ANEURALNETWORKS_##name, "ops.def: " #name);
#include "common/operations/ops.def"

static_assert(sizeof operations / sizeof operations[0] == HY_OP_COUNT, "ops.def: not in order");

const struct hy_operation_info *hy_operation_info(int32_t code)
{
    const uint32_t row = hy_op_row(code);

    return row < HY_OP_COUNT ? &operations[row] : NULL;
}

const struct hy_operation_info *hy_operation_find(const char *name)
{
    for (int i = 0; i < HY_OP_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0)
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
