#include "libhalyard/lower/pairs.h"

#include "common/operations/operation.h"
#include "libhalyard/lower/nnapi_operands.h"

static bool is_of_nnapi(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT16 ||
           type == ANEURALNETWORKS_TENSOR_INT32 || type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
           type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED ||
           type == ANEURALNETWORKS_TENSOR_BOOL8;
}

static int32_t extension_of(int32_t type)
{
    switch (type) {
#define OPERATION(NAME) \
    case ANEURALNETWORKS_##NAME: \
        return HY_EXT_##NAME;
        OPERATION(ADD)
        OPERATION(EQUAL)
        OPERATION(GREATER)
        OPERATION(GREATER_EQUAL)
        OPERATION(LESS)
        OPERATION(LESS_EQUAL)
        OPERATION(MAXIMUM)
        OPERATION(MINIMUM)
        OPERATION(MUL)
        OPERATION(NOT_EQUAL)
        OPERATION(PRELU)
        OPERATION(SELECT)
        OPERATION(SUB)
#undef OPERATION
    default:
        return type;
    }
}

int32_t hy_pair_operation(const struct hy_graph_tensor *tensor, int32_t type)
{
    return is_of_nnapi(hy_nnapi_type(tensor->element)) ? type : extension_of(type);
}
