#include "runtime/plan/cost/nearest_type.h"

#include "common/operations/operand_type.h"

#include <android/NeuralNetworks.h>

static int32_t nearest_by_size(const struct hy_type_info *info)
{
    const bool is_scalar = info->is_scalar;

    switch (info->element_bytes) {
    case 1:
        return is_scalar ? ANEURALNETWORKS_BOOL : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    case 2:
        return is_scalar ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_TENSOR_FLOAT16;
    default:
        return is_scalar ? ANEURALNETWORKS_FLOAT32 : ANEURALNETWORKS_TENSOR_FLOAT32;
    }
}

int32_t hy_nearest_type(int32_t type, const struct hy_type_info *info)
{
    switch (type) {
    case HY_TENSOR_INT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    case HY_TENSOR_UINT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case HY_TENSOR_INT16:
        return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    case HY_TENSOR_UINT16:
        return ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
    case HY_TENSOR_UINT32:
    case HY_TENSOR_INT64:
    case HY_TENSOR_UINT64:
        return ANEURALNETWORKS_TENSOR_INT32;
    case HY_TENSOR_BFLOAT16:
        return ANEURALNETWORKS_TENSOR_FLOAT16;
    case HY_TENSOR_FLOAT64:
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    default:
        return nearest_by_size(info);
    }
}
