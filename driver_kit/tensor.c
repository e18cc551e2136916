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

static bool check_type(struct hy_model_reader *reader, const char *side, uint32_t position,
                       const struct hy_operand *operand, int32_t type)
{
    return operand->type == type ||
           hy_refuse(reader, "%s %u has type %d, needs %d", side, position, operand->type, type);
}

/* `operand` may be NULL. */
static const struct hy_operand *check_tensor(struct hy_model_reader *reader, const char *side,
                                             uint32_t position, const struct hy_operand *operand,
                                             int32_t type)
{
    uint64_t count;
    if (!operand || !check_type(reader, side, position, operand, type) ||
        !hy_check_extents(reader, side, position, operand->rank, operand->dims, &count) ||
        !hy_check_quantisation(reader, side, position, type, operand->scale, operand->zero_point))
        return NULL;
    if (hy_is_constant(operand) &&
        !hy_read_constant(reader, operand, count * hy_tensor_element_size(type)))
        return NULL;
    return operand;
}

/* `is_open`: extents may be unknown. */
static bool check_shape(struct hy_model_reader *reader, const char *side, uint32_t position,
                        const struct hy_operand *operand, uint32_t rank, const uint32_t *dims,
                        bool is_open)
{
    if (is_open && (operand->rank == 0 || !operand->dims))
        return true;
    if (operand->rank != rank)
        return hy_refuse(reader, "%s %u has rank %u, needs %u", side, position, operand->rank,
                         rank);
    for (uint32_t i = 0; i < rank; i++)
        if (operand->dims[i] != dims[i] && !(is_open && operand->dims[i] == 0))
            return hy_refuse(reader, "extent %u of %s %u is %u, needs %u", i, side, position,
                             operand->dims[i], dims[i]);
    return true;
}

const struct hy_operand *hy_tensor_read_input(struct hy_model_reader *reader,
                                              const struct hy_operation *operation,
                                              uint32_t position, int32_t type)
{
    return check_tensor(reader, "input", position, hy_read_input(reader, operation, position),
                        type);
}

const struct hy_operand *hy_tensor_read_shaped(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims)
{
    const struct hy_operand *input = hy_tensor_read_input(reader, operation, position, type);
    return input && check_shape(reader, "input", position, input, rank, dims, false) ? input : NULL;
}

bool hy_tensor_read_optional(struct hy_model_reader *reader, const struct hy_operation *operation,
                             uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims,
                             const struct hy_operand **operand)
{
    *operand = NULL;
    if (hy_is_left_out(reader, operation, position))
        return true;
    const struct hy_operand *input = hy_read_input(reader, operation, position);
    if (input && input->lifetime != HY_LIFETIME_INPUT)
        input = hy_tensor_read_shaped(reader, operation, position, type, rank, dims);
    else if (input && !(check_type(reader, "input", position, input, type) &&
                        check_shape(reader, "input", position, input, rank, dims, true)))
        input = NULL;
    *operand = input;
    return input;
}

const struct hy_operand *hy_tensor_read_output(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims)
{
    const struct hy_operand *output =
        check_tensor(reader, "output", position, hy_read_output(reader, operation, position), type);
    if (!output)
        return NULL;
    if (output->lifetime != HY_LIFETIME_TEMPORARY && output->lifetime != HY_LIFETIME_OUTPUT) {
        hy_refuse(reader, "output %u cannot be written (lifetime %d)", position, output->lifetime);
        return NULL;
    }
    return check_shape(reader, "output", position, output, rank, dims, false) ? output : NULL;
}

/* The extent counted from the last dimension. */
static uint32_t extent_of(uint32_t rank, const uint32_t *dims, uint32_t index)
{
    return index < rank ? dims[rank - 1 - index] : 1;
}

bool hy_broadcast(struct hy_model_reader *reader, uint32_t a_rank, const uint32_t *a_dims,
                  uint32_t b_rank, const uint32_t *b_dims, uint32_t *rank, uint32_t *dims)
{
    *rank = a_rank > b_rank ? a_rank : b_rank;
    for (uint32_t i = 0; i < *rank; i++) {
        const uint32_t a = extent_of(a_rank, a_dims, i), b = extent_of(b_rank, b_dims, i);
        if (a != b && a != 1 && b != 1)
            return hy_refuse(reader, "extents %u and %u cannot be broadcast", a, b);
        dims[*rank - 1 - i] = a == 1 ? b : a;
    }
    return true;
}
