#include "tools/convert/arguments.h"

int32_t hy_input(const struct hy_arguments *args, uint32_t index)
{
    const struct hy_tflite_ints *inputs = &args->operator_->inputs;
    return index < inputs->count ? inputs->values[index] : -1;
}

static const struct hy_tflite_tensor *tensor_at(struct hy_arguments *args, int32_t tensor,
                                                const char *what, uint32_t index)
{
    if (tensor >= 0)
        return &hy_model_builder_subgraph(args->builder)->tensors[tensor];
    if (args->code == HY_OK)
        args->code = hy_fail(args->err, HY_BAD_DATA, "%s %u is left out", what, index);
    return NULL;
}

const struct hy_tflite_tensor *hy_input_tensor(struct hy_arguments *args, uint32_t index)
{
    return tensor_at(args, hy_input(args, index), "input", index);
}

const struct hy_tflite_tensor *hy_output_tensor(struct hy_arguments *args, uint32_t index)
{
    const struct hy_tflite_ints *outputs = &args->operator_->outputs;
    return tensor_at(args, index < outputs->count ? outputs->values[index] : -1, "output", index);
}

void hy_expect(struct hy_arguments *args, bool holds, const char *what)
{
    if (args->code == HY_OK && !holds)
        args->code = hy_fail(args->err, HY_BAD_DATA, "%s has no NNAPI form", what);
}

void hy_expect_activation(struct hy_arguments *args, int32_t activation)
{
    hy_expect(args, activation <= HY_TFLITE_ACTIVATION_RELU6, "this fused activation");
}

void hy_take_operand(struct hy_arguments *args, enum hy_code code, uint32_t operand)
{
    if (args->code != HY_OK)
        return;
    if (code == HY_OK && args->count == HY_ARGUMENTS_MAX)
        code = hy_fail(args->err, HY_BAD_DATA, "more than %d operands", HY_ARGUMENTS_MAX);
    args->code = code;
    if (code == HY_OK)
        args->operands[args->count++] = operand;
}

void hy_take(struct hy_arguments *args, uint32_t index)
{
    uint32_t operand = 0;
    if (!hy_input_tensor(args, index) || args->code != HY_OK)
        return;
    enum hy_code code =
        hy_model_builder_tensor(args->builder, hy_input(args, index), &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_scalar(struct hy_arguments *args, uint32_t index)
{
    uint32_t operand = 0;
    if (!hy_input_tensor(args, index) || args->code != HY_OK)
        return;
    enum hy_code code =
        hy_model_builder_scalar_of(args->builder, hy_input(args, index), &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_int(struct hy_arguments *args, int32_t value)
{
    uint32_t operand = 0;
    if (args->code != HY_OK)
        return;
    enum hy_code code = hy_model_builder_int32(args->builder, value, &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_bool(struct hy_arguments *args, bool value)
{
    uint32_t operand = 0;
    if (args->code != HY_OK)
        return;
    enum hy_code code = hy_model_builder_bool(args->builder, value, &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_float(struct hy_arguments *args, float value)
{
    uint32_t operand = 0;
    if (args->code != HY_OK)
        return;
    enum hy_code code = hy_model_builder_float32(args->builder, value, &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_ints(struct hy_arguments *args, const int32_t *values, uint32_t count)
{
    uint32_t operand = 0;
    if (args->code != HY_OK)
        return;
    enum hy_code code = hy_model_builder_int32s(args->builder, values, count, &operand, args->err);
    hy_take_operand(args, code, operand);
}

void hy_take_activation(struct hy_arguments *args, int32_t activation)
{
    hy_expect_activation(args, activation);
    hy_take_int(args, activation);
}

void hy_take_padding(struct hy_arguments *args, int32_t padding)
{
    hy_take_int(args, padding == HY_TFLITE_PADDING_SAME ? ANEURALNETWORKS_PADDING_SAME
                                                        : ANEURALNETWORKS_PADDING_VALID);
}

enum hy_code hy_give(struct hy_arguments *args, int32_t type)
{
    const struct hy_tflite_ints *outputs = &args->operator_->outputs;
    uint32_t operands[HY_ARGUMENTS_MAX];

    hy_expect(args, outputs->count > 0 && outputs->count <= HY_ARGUMENTS_MAX,
              "this number of outputs");
    for (uint32_t i = 0; args->code == HY_OK && i < outputs->count; i++)
        args->code =
            hy_model_builder_tensor(args->builder, outputs->values[i], &operands[i], args->err);
    if (args->code != HY_OK)
        return args->code;
    return hy_model_builder_operation(args->builder, type, args->count, args->operands,
                                      outputs->count, operands, args->err);
}
