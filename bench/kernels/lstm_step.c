#include "bench/kernels/lstm_step.h"

#include <stdlib.h>
#include <string.h>

#include "bench/device_by_name.h"
#include "common/random.h"
#include "tools/api_result.h"

enum { LSTM_INPUTS = 23, LSTM_OUTPUTS = 4 };

/* The model on its way: API calls stop at the first that fails. */
struct model_builder {
    struct hy_lstm_step *step;
    const float *weights; /* that are left */
    uint32_t count;       /* of operands */
    int result;
};

static uint32_t add_operand(struct model_builder *model_builder, int32_t type, uint32_t rank,
                            const uint32_t *dims)
{
    const ANeuralNetworksOperandType operand = {
        .type = type, .dimensionCount = rank, .dimensions = dims};
    if (model_builder->result == ANEURALNETWORKS_NO_ERROR)
        model_builder->result =
            ANeuralNetworksModel_addOperand(model_builder->step->model, &operand);
    return model_builder->count++;
}

static uint32_t add_tensor(struct model_builder *model_builder, uint32_t rows, uint32_t columns)
{
    return add_operand(model_builder, ANEURALNETWORKS_TENSOR_FLOAT32, 2,
                       (const uint32_t[]){rows, columns});
}

static void set_value(struct model_builder *model_builder, uint32_t operand, const void *value,
                      size_t length)
{
    if (model_builder->result == ANEURALNETWORKS_NO_ERROR)
        model_builder->result = ANeuralNetworksModel_setOperandValue(
            model_builder->step->model, (int32_t)operand, value, length);
}

/* Weights [rows, columns]; columns 0: a vector. */
static uint32_t add_weights(struct model_builder *model_builder, uint32_t rows, uint32_t columns)
{
    const uint32_t operand = add_operand(model_builder, ANEURALNETWORKS_TENSOR_FLOAT32,
                                         columns ? 2 : 1, (const uint32_t[]){rows, columns});
    const size_t count = (size_t)rows * (columns ? columns : 1);
    set_value(model_builder, operand, model_builder->weights,
              count * sizeof *model_builder->weights);
    model_builder->weights += count;
    return operand;
}

static uint32_t add_absent(struct model_builder *model_builder, uint32_t rank, uint32_t rows,
                           uint32_t columns)
{
    const uint32_t operand = add_operand(model_builder, ANEURALNETWORKS_TENSOR_FLOAT32, rank,
                                         (const uint32_t[]){rows, columns});
    set_value(model_builder, operand, NULL, 0);
    return operand;
}

static uint32_t add_scalar(struct model_builder *model_builder, int32_t type, const void *value,
                           size_t length)
{
    const uint32_t operand = add_operand(model_builder, type, 0, NULL);
    set_value(model_builder, operand, value, length);
    return operand;
}

static void add_inputs(struct model_builder *model_builder, uint32_t inputs[LSTM_INPUTS])
{
    const struct hy_lstm_step *step = model_builder->step;
    const int32_t tanh_activation = 4;
    const float no_clip = 0;
    uint32_t at = 0;

    inputs[at++] = add_tensor(model_builder, step->batches, step->inputs);
    for (uint32_t gate = 0; gate < 4; gate++)
        inputs[at++] = add_weights(model_builder, step->units, step->inputs);
    for (uint32_t gate = 0; gate < 4; gate++)
        inputs[at++] = add_weights(model_builder, step->units, step->units);
    for (uint32_t peephole = 0; peephole < 3; peephole++)
        inputs[at++] = add_absent(model_builder, 1, step->units, 0);
    for (uint32_t bias = 0; bias < 4; bias++)
        inputs[at++] = add_weights(model_builder, step->units, 0);
    inputs[at++] = add_absent(model_builder, 2, step->units, step->units);
    inputs[at++] = add_absent(model_builder, 1, step->units, 0);
    inputs[at++] = add_tensor(model_builder, step->batches, step->units);
    inputs[at++] = add_tensor(model_builder, step->batches, step->units);
    inputs[at++] =
        add_scalar(model_builder, ANEURALNETWORKS_INT32, &tanh_activation, sizeof tanh_activation);
    inputs[at++] = add_scalar(model_builder, ANEURALNETWORKS_FLOAT32, &no_clip, sizeof no_clip);
    inputs[at++] = add_scalar(model_builder, ANEURALNETWORKS_FLOAT32, &no_clip, sizeof no_clip);
}

static enum hy_code build(struct model_builder *model_builder, struct hy_error *err)
{
    const struct hy_lstm_step *step = model_builder->step;
    uint32_t inputs[LSTM_INPUTS], outputs[LSTM_OUTPUTS];
    add_inputs(model_builder, inputs);
    outputs[0] = add_tensor(model_builder, step->batches, 4 * step->units);
    for (uint32_t i = 1; i < LSTM_OUTPUTS; i++)
        outputs[i] = add_tensor(model_builder, step->batches, step->units);

    const uint32_t arguments[] = {inputs[0], inputs[18], inputs[19]};
    if (model_builder->result == ANEURALNETWORKS_NO_ERROR)
        model_builder->result = ANeuralNetworksModel_addOperation(
            step->model, ANEURALNETWORKS_LSTM, LSTM_INPUTS, inputs, LSTM_OUTPUTS, outputs);
    if (model_builder->result == ANEURALNETWORKS_NO_ERROR)
        model_builder->result = ANeuralNetworksModel_identifyInputsAndOutputs(
            step->model, 3, arguments, LSTM_OUTPUTS, outputs);
    if (model_builder->result == ANEURALNETWORKS_NO_ERROR)
        model_builder->result = ANeuralNetworksModel_finish(step->model);
    return hy_api_result(model_builder->result, "model", err);
}

/* Small weights of both signs: the state stays within bounds and moves. */
static float *make_weights(const struct hy_lstm_step *step)
{
    const size_t count = (size_t)4 * step->units * (step->inputs + step->units + 1);
    float *weights = calloc(count, sizeof *weights);
    struct hy_random random = {1};
    for (size_t i = 0; weights && i < count; i++)
        weights[i] = hy_random_real(&random, -1, 1) / (float)step->units;
    return weights;
}

static enum hy_code compile(struct hy_lstm_step *step, const ANeuralNetworksDevice *device,
                            struct hy_error *err)
{
    int result =
        ANeuralNetworksCompilation_createForDevices(step->model, &device, 1, &step->compilation);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_finish(step->compilation);
    return hy_api_result(result, "compilation", err);
}

enum hy_code hy_lstm_step_make(const char *name, struct hy_lstm_step *step, struct hy_error *err)
{
    const ANeuralNetworksDevice *device = hy_bench_device(name);
    if (!device)
        return hy_fail(err, HY_BAD_DATA, "there is no device %s", name);
    step->weights = make_weights(step);
    if (!step->weights)
        return hy_fail(err, HY_OUT_OF_MEMORY, "weights of %u units", step->units);
    struct model_builder model_builder = {.step = step, .weights = step->weights};
    enum hy_code code =
        hy_api_result(ANeuralNetworksModel_create(&step->model), "Model_create", err);
    if (code == HY_OK)
        code = build(&model_builder, err);
    return code == HY_OK ? compile(step, device, err) : code;
}

void hy_lstm_step_finish(struct hy_lstm_step *step)
{
    ANeuralNetworksCompilation_free(step->compilation);
    ANeuralNetworksModel_free(step->model);
    free(step->weights);
}
