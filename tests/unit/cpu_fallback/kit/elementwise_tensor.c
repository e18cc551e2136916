#include "elementwise_tensor.h"

#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <string.h>

#include "common/half.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/cpu_driver.h"
#include "samples.h"

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
    return hy_sample_random(seed) % limit;
}

/* [-1, 1) */
static float random_real(uint32_t *seed)
{
    return (float)random_below(seed, 1 << 16) * 0x1p-15f - 1;
}

static bool is_signed(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

void hy_tensor_init(struct hy_tensor *tensor, int32_t type, uint32_t *seed)
{
    *tensor = (struct hy_tensor){.type.type = type};
    if (!hy_operand_type_is_quantised(type))
        return;
    tensor->type.scale = 0.02f + 0.05f * fabsf(random_real(seed));
    tensor->type.zero_point = (int32_t)random_below(seed, 256) - (is_signed(type) ? 128 : 0);
}

void hy_tensor_set_shape(struct hy_tensor *tensor, uint32_t rank, const uint32_t *dims)
{
    tensor->type.rank = rank;
    tensor->count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        tensor->type.dims[i] = dims[i];
        tensor->count *= dims[i];
    }
}

void hy_tensor_fill(struct hy_tensor *tensor, uint32_t *seed)
{
    for (uint32_t i = 0; i < tensor->count; i++) {
        float real = 8 * random_real(seed);
        switch (tensor->type.type) {
        case ANEURALNETWORKS_TENSOR_FLOAT32:
            ((float *)tensor->data)[i] = real;
            break;
        case ANEURALNETWORKS_TENSOR_FLOAT16:
            ((uint16_t *)tensor->data)[i] = hy_half_from_float_soft(real);
            break;
        case ANEURALNETWORKS_TENSOR_INT32:
            ((int32_t *)tensor->data)[i] = (int32_t)real;
            break;
        default:
            ((uint8_t *)tensor->data)[i] = (uint8_t)random_below(seed, 256);
        }
    }
}

double hy_tensor_stored(const struct hy_tensor *tensor, uint32_t index)
{
    switch (tensor->type.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return ((const float *)tensor->data)[index];
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return hy_half_to_float_soft(((const uint16_t *)tensor->data)[index]);
    case ANEURALNETWORKS_TENSOR_INT32:
        return ((const int32_t *)tensor->data)[index];
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
        return ((const int8_t *)tensor->data)[index];
    default:
        return ((const uint8_t *)tensor->data)[index];
    }
}

double hy_tensor_real(const struct hy_tensor *tensor, uint32_t index)
{
    double stored = hy_tensor_stored(tensor, index);

    if (!hy_operand_type_is_quantised(tensor->type.type))
        return stored;
    return (double)((float)(stored - tensor->type.zero_point) * tensor->type.scale);
}

double hy_tensor_steps(const struct hy_tensor *tensor, double real)
{
    double least = is_signed(tensor->type.type) ? -128 : 0;

    if (tensor->type.type == ANEURALNETWORKS_TENSOR_FLOAT16)
        return hy_half_to_float_soft(hy_half_from_float_soft((float)real));
    if (!hy_operand_type_is_quantised(tensor->type.type))
        return real;
    double steps = real / (double)tensor->type.scale + tensor->type.zero_point;
    return isnan(steps) ? least + 255 : fmin(fmax(steps, least), least + 255);
}

static uint64_t bytes_of(const struct hy_tensor *tensor)
{
    return (uint64_t)tensor->count * hy_operand_type_bytes(tensor->type.type);
}

static uint32_t add_alpha(struct hy_builder *builder, const struct hy_tensor_call *call)
{
    const struct hy_builder_type half = {.type = ANEURALNETWORKS_FLOAT16};
    uint16_t bits = hy_half_from_float_soft(call->alpha);

    if (call->inputs[0]->type.type == ANEURALNETWORKS_TENSOR_FLOAT16)
        return hy_builder_constant(builder, &half, &bits, sizeof bits);
    return hy_builder_float(builder, call->alpha);
}

static void build(struct hy_builder *builder, const struct hy_tensor_call *call)
{
    uint32_t inputs[HY_TENSOR_INPUTS + 1], count = 0, output;

    hy_builder_init(builder);
    for (uint32_t i = 0; i < call->input_count; i++)
        inputs[count++] = hy_builder_input(builder, &call->inputs[i]->type);
    if (call->has_activation)
        inputs[count++] = hy_builder_int(builder, call->activation);
    if (call->has_alpha)
        inputs[count++] = add_alpha(builder, call);
    output = hy_builder_output(builder, &call->output->type);
    hy_builder_operation(builder, call->operation, count, inputs, 1, &output);
}

int32_t hy_tensor_run(const struct hy_tensor_call *call, uint32_t device, char message[512])
{
    struct hy_builder builder;
    struct hy_runner runner;

    build(&builder, call);
    int32_t status = hy_runner_open(&runner, hy_cpu_driver(), device);
    if (status == HY_STATUS_OK)
        status = hy_runner_prepare(&runner, hy_builder_model(&builder));
    for (uint32_t i = 0; i < call->input_count; i++)
        hy_runner_input(&runner, call->inputs[i]->data, bytes_of(call->inputs[i]),
                        call->inputs[i]->type.rank, call->inputs[i]->type.dims);
    hy_runner_output(&runner, call->output->data, bytes_of(call->output), 0, NULL);
    if (status == HY_STATUS_OK)
        status = hy_runner_execute(&runner);
    if (message)
        memcpy(message, runner.message, sizeof runner.message);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
    return status;
}
