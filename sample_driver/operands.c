#include "operands.h"

#include <android/NeuralNetworks.h>

#define MAX_ELEMENTS (UINT64_C(1) << 28) /* of a tensor; keeps all index arithmetic in 32 bits */

bool sample_is_quantised(const struct hy_operand *operand)
{
    return operand->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

uint64_t sample_element_count(const struct hy_operand *operand)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < operand->rank; i++)
        count *= operand->dims[i];
    return count;
}

/* `operand` may be NULL. */
static const struct hy_operand *check_tensor(struct sample_source *source, const char *side,
                                             uint32_t position, const struct hy_operand *operand,
                                             int32_t type)
{
    static const struct hy_extent_limits limits = {SAMPLE_MAX_RANK, MAX_ELEMENTS};
    struct hy_model_reader *reader = &source->reader;
    uint64_t count;
    if (!operand)
        return NULL;
    if (operand->type != type) {
        hy_refuse(reader, "%s %u has type %d, needs %d", side, position, operand->type, type);
        return NULL;
    }
    if (!hy_check_extents(reader, side, position, operand->rank, operand->dims, &limits, &count) ||
        !hy_check_quantisation(reader, side, position, type, operand->scale, operand->zero_point))
        return NULL;
    const uint64_t bytes = count * (sample_is_quantised(operand) ? 1 : 4);
    if (hy_is_constant(operand) && !hy_read_constant(reader, operand, bytes))
        return NULL;
    return operand;
}

const struct hy_operand *sample_input(struct sample_source *source,
                                      const struct hy_operation *operation, uint32_t position,
                                      int32_t type)
{
    return check_tensor(source, "input", position,
                        hy_read_input(&source->reader, operation, position), type);
}

const struct hy_operand *sample_first_input(struct sample_source *source,
                                            const struct hy_operation *operation)
{
    const struct hy_operand *operand = hy_read_input(&source->reader, operation, 0);
    if (!operand)
        return NULL;
    const bool is_float = !sample_is_quantised(operand);
    if (!(source->types & (is_float ? SAMPLE_FLOAT_TENSORS : SAMPLE_QUANTISED_TENSORS))) {
        hy_refuse(&source->reader, "this device serves no %s tensors",
                  is_float ? "float32" : "signed quantised");
        return NULL;
    }
    return sample_input(source, operation, 0,
                        is_float ? ANEURALNETWORKS_TENSOR_FLOAT32 : operand->type);
}

const struct hy_operand *sample_output(struct sample_source *source,
                                       const struct hy_operation *operation, uint32_t position,
                                       int32_t type, uint32_t rank, const uint32_t *dims)
{
    struct hy_model_reader *reader = &source->reader;
    const struct hy_operand *output =
        check_tensor(source, "output", position, hy_read_output(reader, operation, position), type);
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

bool sample_activation(struct sample_source *source, const struct hy_operation *operation,
                       uint32_t position, const struct hy_operand *output,
                       struct hy_value_range *range)
{
    int32_t code = 0;
    return hy_read_i32(&source->reader, operation, position, &code) &&
           hy_activation_range(&source->reader, code, output->type, output->scale,
                               output->zero_point, range);
}
