#include "runtime/plan/cost/nearest_type.h"

#include <android/NeuralNetworks.h>
#include <string.h>

static int32_t nearest_integer(const char *name, uint32_t bytes)
{
    if (bytes == 1)
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    if (bytes > 2)
        return ANEURALNETWORKS_TENSOR_INT32;
    return strstr(name, "UINT") ? ANEURALNETWORKS_TENSOR_QUANT16_ASYMM
                                : ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
}

static int32_t nearest_tensor(const char *name, uint32_t bytes)
{
    if (strstr(name, "INT") || bytes == 1)
        return nearest_integer(name, bytes);
    return bytes == 2 ? ANEURALNETWORKS_TENSOR_FLOAT16 : ANEURALNETWORKS_TENSOR_FLOAT32;
}

static int32_t nearest_scalar(const char *name, uint32_t bytes)
{
    if (strstr(name, "INT") || bytes == 1)
        return ANEURALNETWORKS_INT32;
    return bytes == 2 ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_FLOAT32;
}

int32_t hy_nearest_type(const char *name, const struct hy_type_facts *facts)
{
    return facts->is_scalar ? nearest_scalar(name, facts->element_bytes)
                            : nearest_tensor(name, facts->element_bytes);
}
