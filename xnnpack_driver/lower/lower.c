#include "lower.h"

#include "lowerings.h"

#include <stddef.h>

#define INPUTS(count)  (UINT64_C(1) << (count))
#define UP_TO(count)   (INPUTS((count) + 1) - 1)
#define ANY_NUMBER     UINT64_MAX
#define MAX_COUNT_BITS 63u

static const struct known {
    const char *name;
    int32_t type;
    uint64_t input_counts; /* bits; the last stands for all that are higher */
    uint64_t output_counts;
    xd_lowering *lower;
} known_operations[] = {
#define OPERATION(name, inputs, outputs, lower) \
    { \
#name, ANEURALNETWORKS_##name, inputs, outputs, lower \
    }
    OPERATION(ABS, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(ADD, INPUTS(3), INPUTS(1), xd_lower_pair),
    OPERATION(AVERAGE_POOL_2D, INPUTS(7) | INPUTS(8) | INPUTS(10) | INPUTS(11), INPUTS(1),
              xd_lower_pool),
    OPERATION(CAST, INPUTS(1), INPUTS(1), xd_lower_cast),
    OPERATION(CHANNEL_SHUFFLE, INPUTS(3), INPUTS(1), xd_lower_channel_shuffle),
    OPERATION(CONCATENATION, ANY_NUMBER & ~UP_TO(1), INPUTS(1), xd_lower_concatenation),
    OPERATION(CONV_2D, INPUTS(7) | INPUTS(8) | INPUTS(10) | INPUTS(11) | INPUTS(13), INPUTS(1),
              xd_lower_convolution),
    OPERATION(DEPTHWISE_CONV_2D, INPUTS(8) | INPUTS(9) | INPUTS(11) | INPUTS(12) | INPUTS(14),
              INPUTS(1), xd_lower_convolution),
    OPERATION(DEPTH_TO_SPACE, INPUTS(2) | INPUTS(3), INPUTS(1), xd_lower_depth_to_space),
    OPERATION(DEQUANTIZE, INPUTS(1), INPUTS(1), xd_lower_dequantize),
    OPERATION(DIV, INPUTS(3), INPUTS(1), xd_lower_pair),
    OPERATION(ELU, INPUTS(2), INPUTS(1), xd_lower_elu),
    OPERATION(EXPAND_DIMS, INPUTS(2), INPUTS(1), xd_lower_expand_dims),
    OPERATION(FLOOR, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(FULLY_CONNECTED, INPUTS(4), INPUTS(1), xd_lower_fully_connected),
    OPERATION(GROUPED_CONV_2D, INPUTS(9) | INPUTS(12), INPUTS(1), xd_lower_convolution),
    OPERATION(HARD_SWISH, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(LOGISTIC, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(MAXIMUM, INPUTS(2), INPUTS(1), xd_lower_pair),
    OPERATION(MAX_POOL_2D, INPUTS(7) | INPUTS(8) | INPUTS(10) | INPUTS(11), INPUTS(1),
              xd_lower_pool),
    OPERATION(MEAN, INPUTS(3), INPUTS(1), xd_lower_mean),
    OPERATION(MINIMUM, INPUTS(2), INPUTS(1), xd_lower_pair),
    OPERATION(MUL, INPUTS(3), INPUTS(1), xd_lower_pair),
    OPERATION(NEG, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(PAD, INPUTS(2), INPUTS(1), xd_lower_pad),
    OPERATION(PAD_V2, INPUTS(3), INPUTS(1), xd_lower_pad),
    OPERATION(PRELU, INPUTS(2), INPUTS(1), xd_lower_prelu),
    OPERATION(QUANTIZE, INPUTS(1), INPUTS(1), xd_lower_quantize),
    OPERATION(RELU, INPUTS(1), INPUTS(1), xd_lower_relu),
    OPERATION(RELU1, INPUTS(1), INPUTS(1), xd_lower_relu),
    OPERATION(RELU6, INPUTS(1), INPUTS(1), xd_lower_relu),
    OPERATION(RESHAPE, INPUTS(2), INPUTS(1), xd_lower_reshape),
    OPERATION(RESIZE_BILINEAR, INPUTS(3) | INPUTS(4) | INPUTS(5) | INPUTS(6), INPUTS(1),
              xd_lower_resize_bilinear),
    OPERATION(SOFTMAX, INPUTS(2) | INPUTS(3), INPUTS(1), xd_lower_softmax),
    OPERATION(SPLIT, INPUTS(3), ANY_NUMBER & ~UP_TO(0), xd_lower_split),
    OPERATION(SQRT, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(SQUEEZE, INPUTS(1) | INPUTS(2), INPUTS(1), xd_lower_squeeze),
    OPERATION(SUB, INPUTS(3), INPUTS(1), xd_lower_pair),
    OPERATION(TANH, INPUTS(1), INPUTS(1), xd_lower_unary),
    OPERATION(TRANSPOSE_CONV_2D, INPUTS(9) | INPUTS(11), INPUTS(1), xd_lower_transpose_convolution),
#undef OPERATION
};

static const struct known *find_known(int32_t type)
{
    for (size_t i = 0; i < sizeof known_operations / sizeof *known_operations; i++) {
        if (known_operations[i].type == type)
            return &known_operations[i];
    }
    return NULL;
}

static bool has_count(uint64_t counts, uint32_t count)
{
    return counts >> (count < MAX_COUNT_BITS ? count : MAX_COUNT_BITS) & 1;
}

/* Operands that are written from here on; the same one twice is an invalid model. */
static bool note_outputs(struct xd_build *build, const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < operation->output_count; i++) {
        struct xd_tensor *tensor = &build->program->tensors[operation->outputs[i]];
        if (tensor->is_written)
            return hy_refuse(&build->reader, "output %u is written twice", i);
        tensor->is_written = true;
    }
    return true;
}

bool xd_lower(struct xd_build *build, uint32_t index)
{
    const struct hy_operation *operation = &build->reader.model->main->operations[index];
    struct xd_program *program = build->program;
    const uint32_t nodes = program->node_count, tensors = program->tensor_count;
    const struct known *known = find_known(operation->type);
    if (!known)
        return hy_refuse(&build->reader, "XNNPACK has no operator for operation type %d",
                         operation->type);
    if (!has_count(known->input_counts, operation->input_count) ||
        !has_count(known->output_counts, operation->output_count))
        return hy_refuse(&build->reader, "%s: %u inputs and %u outputs are not supported",
                         known->name, operation->input_count, operation->output_count);
    if (known->lower(build, operation) && note_outputs(build, operation))
        return true;
    program->node_count = nodes;
    program->tensor_count = tensors;
    return hy_refuse_as(&build->reader, known->name);
}
