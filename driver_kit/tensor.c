#include "driver_kit/tensor.h"

#include <android/NeuralNetworks.h>

uint32_t hy_tensor_element_size(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
    case ANEURALNETWORKS_TENSOR_INT32:
        return 4;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        return 2;
    case ANEURALNETWORKS_TENSOR_BOOL8:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return 1;
    default:
        return 0;
    }
}

uint64_t hy_tensor_elements(const struct hy_operand *operand)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < operand->rank; i++)
        count *= operand->dims[i];
    return count;
}

/* `operand` may be NULL. */
static const struct hy_operand *check_tensor(struct hy_model_reader *reader, const char *side,
                                             uint32_t position, const struct hy_operand *operand,
                                             int32_t type, const struct hy_extent_limits *limits)
{
    uint64_t count;
    if (!operand)
        return NULL;
    if (operand->type != type) {
        hy_refuse(reader, "%s %u has type %d, needs %d", side, position, operand->type, type);
        return NULL;
    }
    if (!hy_check_extents(reader, side, position, operand->rank, operand->dims, limits, &count) ||
        !hy_check_quantisation(reader, side, position, type, operand->scale, operand->zero_point))
        return NULL;
    if (hy_is_constant(operand) &&
        !hy_read_constant(reader, operand, count * hy_tensor_element_size(type)))
        return NULL;
    return operand;
}

const struct hy_operand *hy_tensor_read_input(struct hy_model_reader *reader,
                                              const struct hy_operation *operation,
                                              uint32_t position, int32_t type,
                                              const struct hy_extent_limits *limits)
{
    return check_tensor(reader, "input", position, hy_read_input(reader, operation, position), type,
                        limits);
}

const struct hy_operand *hy_tensor_read_output(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims,
                                               const struct hy_extent_limits *limits)
{
    const struct hy_operand *output = check_tensor(
        reader, "output", position, hy_read_output(reader, operation, position), type, limits);
    if (!output)
        return NULL;
    if (output->lifetime != HY_LIFETIME_TEMPORARY && output->lifetime != HY_LIFETIME_OUTPUT) {
        hy_refuse(reader, "output %u cannot be written (lifetime %d)", position, output->lifetime);
        return NULL;
    }
    if (output->rank != rank) {
        hy_refuse(reader, "output %u has rank %u, needs %u", position, output->rank, rank);
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (output->dims[i] != dims[i]) {
            hy_refuse(reader, "extent %u of output %u is %u, needs %u", i, position,
                      output->dims[i], dims[i]);
            return NULL;
        }
    }
    return output;
}
