#include "operands.h"

#include <android/NeuralNetworks.h>

/* Few enough elements for index arithmetic in 32 bits. */
static const struct hy_extent_limits limits = {SAMPLE_MAX_RANK, UINT64_C(1) << 28};

bool sample_is_quantised(const struct hy_operand *operand)
{
    return operand->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

const struct hy_operand *sample_input(struct sample_source *source,
                                      const struct hy_operation *operation, uint32_t position,
                                      int32_t type)
{
    return hy_tensor_read_input(&source->reader, operation, position, type, &limits);
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
    return hy_tensor_read_output(&source->reader, operation, position, type, rank, dims, &limits);
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
