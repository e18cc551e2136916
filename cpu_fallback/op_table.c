#include "common/checked.h"
#include "common/operand_type.h"
#include "common/operation.h"
#include "cpu_fallback/op.h"
#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

static const struct hy_cpu_op ops[] = {
    [HY_OP_ADD] = {0, hy_cpu_add_resolve, hy_cpu_add_run},
    [HY_OP_AVERAGE_POOL_2D] = {0, hy_cpu_average_pool_resolve, hy_cpu_average_pool_run},
    [HY_OP_CONV_2D] = {0, hy_cpu_conv_2d_resolve, hy_cpu_conv_run},
    [HY_OP_DEPTHWISE_CONV_2D] = {0, hy_cpu_depthwise_conv_2d_resolve, hy_cpu_conv_run},
    [HY_OP_DEQUANTIZE] = {0, hy_cpu_dequantize_resolve, hy_cpu_dequantize_run},
    [HY_OP_FULLY_CONNECTED] = {0, hy_cpu_fully_connected_resolve, hy_cpu_conv_run},
    [HY_OP_RESHAPE] = {HY_CPU_OP_CAN_ALIAS, hy_cpu_reshape_resolve, hy_cpu_reshape_run},
    [HY_OP_SOFTMAX] = {0, hy_cpu_softmax_resolve, hy_cpu_softmax_run},
};

#define OP_COUNT ((int32_t)(sizeof ops / sizeof ops[0]))

const struct hy_cpu_op *hy_cpu_op_find(int32_t operation)
{
    if (operation < 0 || operation >= OP_COUNT || !ops[operation].resolve)
        return NULL;
    return &ops[operation];
}

enum hy_element hy_cpu_element(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return HY_ELEMENT_F32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return HY_ELEMENT_F16;
    case ANEURALNETWORKS_TENSOR_INT32:
        return HY_ELEMENT_I32;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return HY_ELEMENT_U8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return HY_ELEMENT_S8;
    case ANEURALNETWORKS_TENSOR_BOOL8:
        return HY_ELEMENT_BOOL;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return HY_ELEMENT_S16;
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        return HY_ELEMENT_U16;
    default:
        return HY_ELEMENT_COUNT;
    }
}

bool hy_cpu_scratch_take(size_t *total, size_t bytes, size_t *offset)
{
    size_t rounded, sum;

    if (!hy_round_up_size(bytes, HY_KERNEL_ALIGNMENT, &rounded) ||
        !hy_add_size(*total, rounded, &sum))
        return false;
    *offset = *total;
    *total = sum;
    return true;
}
