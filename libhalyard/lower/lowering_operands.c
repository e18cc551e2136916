#include "libhalyard/lower/lowering.h"

#include <string.h>

#include "libhalyard/lower/model.h"
#include "libhalyard/lower/nnapi_operands.h"

/* Operands for the tensors of a graph. */

/* An operand with a tensor's quantisation. */
static uint32_t add_tensor_of(struct hy_lowering *lowering, uint32_t index, int32_t type,
                              uint32_t rank, const uint32_t *extents)
{
    if (lowering->code != HY_OK)
        return 0;
    if (type < 0) {
        hy_refuse_tensor(lowering, index, "the type has no NNAPI form");
        return 0;
    }
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = rank, .dimensions = extents};
    hy_nnapi_set_quantisation(&tensor->quantisation, &description);
    const uint32_t operand = hy_lowering_add_operand(lowering, &description);
    if (lowering->code != HY_OK)
        hy_error_prefix(lowering->err, lowering->code, "tensor %u", index);
    return operand;
}

/* The same with the tensor's shape. */
static uint32_t add_tensor(struct hy_lowering *lowering, uint32_t index, int32_t type)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];

    if (lowering->code != HY_OK)
        return 0;
    hy_nnapi_extents(&lowering->graph->tensors[index], extents);
    return add_tensor_of(lowering, index, type, hy_nnapi_rank(&lowering->graph->tensors[index]),
                         extents);
}

/* A sparse constant must store at least one element in MOST_SPARSE. */
enum { MOST_SPARSE = 1024 };

/* Sets a sparse constant, expanded with zeros. */
static void set_sparse_data(struct hy_lowering *lowering, uint32_t index, uint32_t operand)
{
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    const size_t size = hy_element_bits(tensor->element) / 8;
    uint64_t bytes;

    if (size == 0 || tensor->bytes % size != 0 ||
        !hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) ||
        bytes / MOST_SPARSE > tensor->bytes) {
        hy_refuse_tensor(lowering, index, "the sparse constant stores too few elements");
        return;
    }
    void *dense = hy_lowering_make_constant(lowering, bytes);
    if (!dense)
        return;
    if (!hy_sparsity_expand(tensor->sparsity, tensor->rank, tensor->extents, tensor->data,
                            tensor->bytes / size, size, dense))
        hy_refuse_tensor(lowering, index, "the levels of the sparse constant do not fit the shape");
    hy_lowering_set_value(lowering, operand, dense, (size_t)bytes);
}

static void set_tensor_data(struct hy_lowering *lowering, uint32_t index, uint32_t operand)
{
    if (lowering->code != HY_OK)
        return;
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    if (tensor->sparsity) {
        set_sparse_data(lowering, index, operand);
        return;
    }
    hy_lowering_set_value(lowering, operand, tensor->data, tensor->bytes);
}

static uint32_t add_constant(struct hy_lowering *lowering, uint32_t index, int32_t type)
{
    const uint32_t operand = add_tensor(lowering, index, type);
    set_tensor_data(lowering, index, operand);
    return operand;
}

/* The operand of a tensor in its default type, made at first use. */
uint32_t hy_lowering_tensor_operand(struct hy_lowering *lowering, uint32_t index)
{
    if (lowering->code != HY_OK)
        return 0;
    if (lowering->operands[index] >= HY_INPUT_OPERAND) {
        const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
        const uint32_t operand = add_tensor(lowering, index, hy_nnapi_type(tensor->element));
        if (tensor->data)
            set_tensor_data(lowering, index, operand);
        if (lowering->code != HY_OK)
            return 0;
        lowering->operands[index] = operand;
    }
    return lowering->operands[index];
}

uint32_t hy_input_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const uint32_t index = hy_graph_node_input(lowering->node, input);

    /* Inputs of the model, and what nodes before compute, have operands already. */
    if (lowering->code == HY_OK && lowering->operands[index] == HY_NO_OPERAND && !tensor->data)
        hy_refuse_input(
            lowering, input,
            "no operator computes the tensor, and it is neither an input nor a constant");
    return hy_lowering_tensor_operand(lowering, index);
}

uint32_t hy_output_operand(struct hy_lowering *lowering, uint32_t output)
{
    hy_output(lowering, output);
    return lowering->code == HY_OK
               ? hy_lowering_tensor_operand(lowering, lowering->node->outputs[output])
               : 0;
}

uint32_t hy_input_operand_as(struct hy_lowering *lowering, uint32_t input, int32_t type)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    if (lowering->code != HY_OK)
        return 0;
    if (!tensor->data) {
        hy_refuse_input(lowering, input, "not a constant");
        return 0;
    }
    return add_constant(lowering, hy_graph_node_input(lowering->node, input), type);
}

static uint32_t add_per_channel_of(struct hy_lowering *lowering, uint32_t index, uint32_t rank,
                                   const uint32_t *extents)
{
    if (lowering->code != HY_OK)
        return 0;
    const struct hy_graph_quantisation *quantisation =
        &lowering->graph->tensors[index].quantisation;
    const ANeuralNetworksSymmPerChannelQuantParams params = {.channelDim = quantisation->axis,
                                                             .scaleCount = quantisation->count,
                                                             .scales = quantisation->scales};
    const uint32_t operand = add_tensor_of(
        lowering, index, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, rank, extents);
    if (lowering->code == HY_OK)
        hy_lowering_check(lowering, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                                        lowering->model->handle, (int32_t)operand, &params));
    set_tensor_data(lowering, index, operand);
    return operand;
}

static uint32_t add_per_channel(struct hy_lowering *lowering, uint32_t index)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];

    if (lowering->code != HY_OK)
        return 0;
    hy_nnapi_extents(&lowering->graph->tensors[index], extents);
    return add_per_channel_of(lowering, index, hy_nnapi_rank(&lowering->graph->tensors[index]),
                              extents);
}

uint32_t hy_channel_filter_operand_of(struct hy_lowering *lowering, uint32_t input, uint32_t rank,
                                      const uint32_t *extents)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);

    if (!tensor->data || tensor->element != HY_ELEMENT_INT8)
        hy_refuse_input(lowering, input, "not a constant of quantised int8");
    if (tensor->quantisation.axis != 0)
        hy_refuse_input(lowering, input,
                        "the scales lie along another dimension than the channels");
    return add_per_channel_of(lowering, hy_graph_node_input(lowering->node, input), rank, extents);
}

uint32_t hy_filter_operand(struct hy_lowering *lowering, uint32_t input, uint32_t channel_axis)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    if (!tensor->data || tensor->quantisation.count <= 1)
        return hy_input_operand(lowering, input);
    if (tensor->quantisation.axis != channel_axis)
        hy_refuse_input(lowering, input,
                        "the scales lie along another dimension than the channels");
    return add_per_channel(lowering, hy_graph_node_input(lowering->node, input));
}

uint32_t hy_dequantised_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const struct hy_graph_quantisation *quantisation = &tensor->quantisation;
    const uint32_t index = hy_graph_node_input(lowering->node, input);

    if (lowering->code != HY_OK)
        return 0;
    /* The first converters wrote the bytes of int8 into tensors of uint8. */
    const bool is_uint8 = tensor->element == HY_ELEMENT_UINT8;
    const bool is_computed = !tensor->data && !is_uint8 && quantisation->count == 1;
    if (!(tensor->data || is_computed) || !hy_is_byte(tensor) || quantisation->count == 0 ||
        (quantisation->count > 1 && is_uint8)) {
        hy_refuse_tensor(lowering, index, "not a constant of quantised 8 bits");
        return 0;
    }
    uint32_t stored;
    if (is_computed)
        stored = hy_input_operand(lowering, input);
    else if (quantisation->count > 1)
        stored = add_per_channel(lowering, index);
    else if (quantisation->zero_points[0] == 0 || is_uint8)
        stored = add_constant(lowering, index, ANEURALNETWORKS_TENSOR_QUANT8_SYMM);
    else
        stored = add_constant(lowering, index, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
    const uint32_t real = add_tensor(lowering, index, ANEURALNETWORKS_TENSOR_FLOAT32);

    /* Operands of the current operation may have been pushed already. */
    hy_lowering_add_operation(lowering, ANEURALNETWORKS_DEQUANTIZE, 1, &stored, 1, &real);
    return real;
}

uint32_t hy_bias_operand(struct hy_lowering *lowering, uint32_t input, int32_t type, uint32_t count,
                         float scale)
{
    const ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = 1, .dimensions = &count, .scale = scale};
    if (hy_has_input(lowering, input) && !hy_input(lowering, input)->data)
        return hy_input_operand(lowering, input);
    const uint32_t operand = hy_lowering_add_operand(lowering, &description);
    if (hy_has_input(lowering, input)) {
        if (hy_nnapi_type(hy_input(lowering, input)->element) != type)
            hy_refuse_input(lowering, input, "the type of the bias does not match the operation");
        set_tensor_data(lowering, hy_graph_node_input(lowering->node, input), operand);
        return operand;
    }
    const size_t bytes = (size_t)count * 4; /* float32 or int32 */
    hy_lowering_set_value(lowering, operand, hy_lowering_make_constant(lowering, bytes), bytes);
    return operand;
}

uint32_t hy_left_out_operand(struct hy_lowering *lowering, uint32_t rank)
{
    return hy_left_out_operand_of(lowering, ANEURALNETWORKS_TENSOR_FLOAT32, rank);
}

uint32_t hy_left_out_operand_of(struct hy_lowering *lowering, int32_t type, uint32_t rank)
{
    static const uint32_t nothing[HY_GRAPH_MAX_RANK];
    const ANeuralNetworksOperandType description = {.type = type,
                                                    .dimensionCount = rank,
                                                    .dimensions = nothing,
                                                    .scale =
                                                        hy_nnapi_is_quantised(type) ? 1.0f : 0.0f};
    const uint32_t operand = hy_lowering_add_operand(lowering, &description);
    hy_lowering_set_value(lowering, operand, NULL, 0);
    return operand;
}

uint32_t hy_temporary_operand(struct hy_lowering *lowering, const struct hy_graph_tensor *like)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];
    hy_nnapi_extents(like, extents);
    return hy_temporary_operand_of(lowering, like, hy_nnapi_rank(like), extents);
}

uint32_t hy_temporary_operand_of(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                 uint32_t rank, const uint32_t *extents)
{
    ANeuralNetworksOperandType description = {
        .type = hy_nnapi_type(like->element), .dimensionCount = rank, .dimensions = extents};
    hy_expect(lowering, description.type >= 0, hy_element_name(like->element));
    hy_nnapi_set_quantisation(&like->quantisation, &description);
    return hy_lowering_add_operand(lowering, &description);
}

static uint32_t plain_temporary(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                int32_t type)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];
    const ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = hy_nnapi_rank(like), .dimensions = extents};
    hy_nnapi_extents(like, extents);
    return hy_lowering_add_operand(lowering, &description);
}

uint32_t hy_float_temporary_operand(struct hy_lowering *lowering,
                                    const struct hy_graph_tensor *like)
{
    return plain_temporary(lowering, like, ANEURALNETWORKS_TENSOR_FLOAT32);
}

uint32_t hy_bool_temporary_operand(struct hy_lowering *lowering, const struct hy_graph_tensor *like)
{
    return plain_temporary(lowering, like, ANEURALNETWORKS_TENSOR_BOOL8);
}

uint32_t hy_real_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    if (tensor->element == HY_ELEMENT_FLOAT32)
        return hy_input_operand(lowering, input);
    const uint32_t real = hy_float_temporary_operand(lowering, tensor);
    hy_push_input(lowering, input);
    hy_emit_to(lowering, ANEURALNETWORKS_DEQUANTIZE, real);
    return real;
}

uint32_t hy_constant_operand(struct hy_lowering *lowering, const ANeuralNetworksOperandType *type,
                             const void *data, size_t bytes)
{
    void *copy = hy_lowering_make_constant(lowering, bytes);
    if (!copy)
        return 0;
    if (bytes > 0)
        memcpy(copy, data, bytes);
    const uint32_t operand = hy_lowering_add_operand(lowering, type);
    hy_lowering_set_value(lowering, operand, copy, bytes);
    return operand;
}

uint32_t hy_constant_operand_like(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                  uint32_t rank, const uint32_t *extents, const void *data,
                                  size_t bytes)
{
    ANeuralNetworksOperandType type = {
        .type = hy_nnapi_type(like->element), .dimensionCount = rank, .dimensions = extents};
    hy_nnapi_set_quantisation(&like->quantisation, &type);
    return hy_constant_operand(lowering, &type, data, bytes);
}
