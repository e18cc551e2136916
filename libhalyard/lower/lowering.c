#include "libhalyard/lower/lowering.h"

#include "common/checked.h"
#include "halyard/halyard.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct hy_graph_tensor no_tensor = {.name = ""};

static void note(struct hy_lowering *lowering, int result)
{
    if (lowering->code == HY_OK && result != ANEURALNETWORKS_NO_ERROR)
        lowering->code = hy_fail(lowering->err, (enum hy_code)result, "%s", halyard_last_error());
}

/* ---- The node in hand ------------------------------------------------------------------------ */

bool hy_has_input(const struct hy_lowering *lowering, uint32_t input)
{
    return hy_graph_node_input(lowering->node, input) != HY_NO_TENSOR;
}

static const struct hy_graph_tensor *tensor_at(struct hy_lowering *lowering, uint32_t tensor,
                                               const char *what, uint32_t index)
{
    if (tensor != HY_NO_TENSOR)
        return &lowering->graph->tensors[tensor];
    if (lowering->code == HY_OK)
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA, "%s %u is left out", what, index);
    return &no_tensor;
}

const struct hy_graph_tensor *hy_input(struct hy_lowering *lowering, uint32_t input)
{
    return tensor_at(lowering, hy_graph_node_input(lowering->node, input), "input", input);
}

static uint32_t output_index(const struct hy_lowering *lowering, uint32_t output)
{
    const struct hy_graph_node *node = lowering->node;
    return output < node->output_count ? node->outputs[output] : HY_NO_TENSOR;
}

const struct hy_graph_tensor *hy_output(struct hy_lowering *lowering, uint32_t output)
{
    return tensor_at(lowering, output_index(lowering, output), "output", output);
}

void hy_expect(struct hy_lowering *lowering, bool holds, const char *what)
{
    if (lowering->code == HY_OK && !holds)
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA, "%s has no NNAPI form", what);
}

void hy_expect_memory(struct hy_lowering *lowering, const void *memory)
{
    if (lowering->code == HY_OK && !memory)
        lowering->code = hy_fail(lowering->err, HY_OUT_OF_MEMORY, "memory of a lowering");
}

bool hy_is_integer(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_INT32 || tensor->element == HY_ELEMENT_INT64;
}

bool hy_is_byte(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_INT8 || tensor->element == HY_ELEMENT_UINT8;
}

bool hy_same_quantisation(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b)
{
    const struct hy_graph_quantisation *x = &a->quantisation, *y = &b->quantisation;
    return x->count == y->count && (x->count == 0 || (x->scales[0] == y->scales[0] &&
                                                      x->zero_points[0] == y->zero_points[0]));
}

float hy_scale_of(const struct hy_graph_tensor *tensor)
{
    return tensor->quantisation.count ? tensor->quantisation.scales[0] : 1.0f;
}

int32_t hy_zero_point_of(const struct hy_graph_tensor *tensor)
{
    return tensor->quantisation.count ? tensor->quantisation.zero_points[0] : 0;
}

int32_t hy_byte_zero_point(struct hy_lowering *lowering, const struct hy_graph_tensor *tensor)
{
    const int32_t zero_point = hy_zero_point_of(tensor);
    const bool fits = zero_point >= -128 && zero_point <= 255;

    hy_expect(lowering, fits, "a zero point beyond 8 bits");
    return fits ? zero_point : 0;
}

static void refuse_tensor(struct hy_lowering *lowering, uint32_t index, const char *what)
{
    if (lowering->code != HY_OK)
        return;
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    lowering->code =
        hy_fail(lowering->err, HY_BAD_DATA, "tensor %u (%.64s), %s of rank %u: %s", index,
                tensor->name, hy_element_name(tensor->element), tensor->rank, what);
}

void hy_refuse_input(struct hy_lowering *lowering, uint32_t input, const char *what)
{
    refuse_tensor(lowering, hy_graph_node_input(lowering->node, input), what);
}

/* ---- Operands -------------------------------------------------------------------------------- */

static uint32_t add_operand(struct hy_lowering *lowering, const ANeuralNetworksOperandType *type)
{
    if (lowering->code != HY_OK)
        return 0;
    note(lowering, ANeuralNetworksModel_addOperand(lowering->model->handle, type));
    return lowering->code == HY_OK ? lowering->operand_count++ : 0;
}

static void set_value(struct hy_lowering *lowering, uint32_t operand, const void *data,
                      size_t bytes)
{
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_setOperandValue(lowering->model->handle,
                                                            (int32_t)operand, data, bytes));
}

static void add_operation(struct hy_lowering *lowering, int32_t type, uint32_t input_count,
                          const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
    const struct hy_budget *budget = lowering->graph->budget;
    const uint32_t limit = budget ? budget->operation_limit : 0;

    if (lowering->code == HY_OK && limit > 0 && lowering->model->operation_count >= limit)
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA,
                                 "more NNAPI operations than max_operations = %" PRIu32, limit);
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_addOperation(lowering->model->handle, type, input_count,
                                                         inputs, output_count, outputs));
    if (lowering->code == HY_OK)
        lowering->code =
            hy_lowered_model_note(lowering->model, lowering->node, type, lowering->err);
}

static void *make_constant(struct hy_lowering *lowering, size_t bytes)
{
    if (lowering->code != HY_OK)
        return NULL;
    const struct hy_budget *budget = lowering->graph->budget;
    const uint64_t limit = budget ? budget->memory_limit : UINT64_MAX;
    const uint64_t taken = hy_graph_made_bytes(lowering->graph) + lowering->model->constant_bytes;
    void *made = NULL;
    if (taken <= limit && bytes <= limit - taken)
        made = hy_lowered_model_constant(lowering->model, bytes);
    if (!made)
        lowering->code = hy_fail(lowering->err, HY_OUT_OF_MEMORY,
                                 "a constant of %zu bytes, when %" PRIu64 " are made already; "
                                 "max_memory is %" PRIu64,
                                 bytes, taken, limit);
    return made;
}

/* The everyday NNAPI type of a tensor; -1 where there is none. */
static int32_t nnapi_type(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_FLOAT32:
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    case HY_ELEMENT_FLOAT16:
        return ANEURALNETWORKS_TENSOR_FLOAT16;
    case HY_ELEMENT_INT32:
    case HY_ELEMENT_INT64: /* at most 32 bits of which are in use */
        return ANEURALNETWORKS_TENSOR_INT32;
    case HY_ELEMENT_UINT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case HY_ELEMENT_INT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    case HY_ELEMENT_INT16:
        return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    case HY_ELEMENT_BOOL:
        return ANEURALNETWORKS_TENSOR_BOOL8;
    default:
        return -1;
    }
}

static bool is_quantised(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return true;
    default:
        return false;
    }
}

/* Scale and zero point. Small integers without any, plain pixels say, stand for themselves. */
static void describe_quantisation(const struct hy_graph_quantisation *quantisation,
                                  ANeuralNetworksOperandType *out)
{
    if (quantisation->count == 1 &&
        (is_quantised(out->type) || out->type == ANEURALNETWORKS_TENSOR_INT32)) {
        out->scale = quantisation->scales[0];
        out->zeroPoint = quantisation->zero_points[0];
    } else if (quantisation->count == 0 && is_quantised(out->type)) {
        out->scale = 1.0f;
    }
}

/* The shape of a tensor in NNAPI, where a scalar of the file is a tensor of one element, and 0 an
 * extent that is not known. */
static uint32_t nnapi_rank(const struct hy_graph_tensor *tensor)
{
    return tensor->rank ? tensor->rank : 1;
}

static void nnapi_extents(const struct hy_graph_tensor *tensor, uint32_t extents[HY_GRAPH_MAX_RANK])
{
    extents[0] = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        extents[i] = tensor->extents[i] < 0 ? 0 : (uint32_t)tensor->extents[i];
}

/* An operand with a tensor's quantisation. */
static uint32_t add_tensor_of(struct hy_lowering *lowering, uint32_t index, int32_t type,
                              uint32_t rank, const uint32_t *extents)
{
    if (lowering->code != HY_OK)
        return 0;
    if (type < 0) {
        refuse_tensor(lowering, index,
                      lowering->graph->tensors[index].element == HY_ELEMENT_STRING
                          ? "texts have no NNAPI form"
                          : "no NNAPI type");
        return 0;
    }
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = rank, .dimensions = extents};
    describe_quantisation(&tensor->quantisation, &description);
    const uint32_t operand = add_operand(lowering, &description);
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
    nnapi_extents(&lowering->graph->tensors[index], extents);
    return add_tensor_of(lowering, index, type, nnapi_rank(&lowering->graph->tensors[index]),
                         extents);
}

/* The numbers of an int64 constant, which have to fit 32 bits. */
static int32_t *narrow(struct hy_lowering *lowering, uint32_t index, size_t count)
{
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    int32_t *narrow = make_constant(lowering, count * sizeof *narrow);

    for (size_t i = 0; narrow && i < count; i++) {
        int64_t wide;
        memcpy(&wide, (const char *)tensor->data + i * sizeof wide, sizeof wide);
        narrow[i] = (int32_t)wide;
        if (narrow[i] != wide)
            refuse_tensor(lowering, index, "a number needs more than 32 bits");
    }
    return narrow;
}

/* A sparse constant stores one element in so many at least. */
enum { MOST_SPARSE = 1024 };

/* A sparse constant with the zeros around what it stores. */
static void set_sparse_data(struct hy_lowering *lowering, uint32_t index, uint32_t operand)
{
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    const size_t size = hy_element_bits(tensor->element) / 8;
    uint64_t bytes;

    if (size == 0 || tensor->bytes % size != 0 ||
        !hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) ||
        bytes / MOST_SPARSE > tensor->bytes) {
        refuse_tensor(lowering, index, "too few elements are stored of a sparse constant");
        return;
    }
    void *dense = make_constant(lowering, (size_t)bytes); /* of zeros */
    if (!dense)
        return;
    if (!hy_sparsity_expand(tensor->sparsity, tensor->rank, tensor->extents, tensor->data,
                            tensor->bytes / size, size, dense))
        refuse_tensor(lowering, index, "the levels of a sparse constant do not fit its shape");
    set_value(lowering, operand, dense, (size_t)bytes);
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
    if (tensor->element == HY_ELEMENT_INT64) {
        const size_t count = (size_t)(tensor->bytes / sizeof(int64_t));
        const int32_t *numbers = narrow(lowering, index, count);
        set_value(lowering, operand, numbers, count * sizeof *numbers);
        return;
    }
    set_value(lowering, operand, tensor->data, tensor->bytes);
}

static uint32_t add_constant(struct hy_lowering *lowering, uint32_t index, int32_t type)
{
    const uint32_t operand = add_tensor(lowering, index, type);
    set_tensor_data(lowering, index, operand);
    return operand;
}

/* The operand of a tensor in its everyday type, made at first use. */
static uint32_t tensor_operand(struct hy_lowering *lowering, uint32_t index)
{
    if (lowering->code != HY_OK)
        return 0;
    if (lowering->operands[index] >= HY_INPUT_OPERAND) {
        const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
        const uint32_t operand = add_tensor(lowering, index, nnapi_type(tensor->element));
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
        hy_refuse_input(lowering, input, "nothing gives the tensor contents");
    return tensor_operand(lowering, index);
}

uint32_t hy_output_operand(struct hy_lowering *lowering, uint32_t output)
{
    hy_output(lowering, output);
    return tensor_operand(lowering, output_index(lowering, output));
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
        note(lowering, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                           lowering->model->handle, (int32_t)operand, &params));
    set_tensor_data(lowering, index, operand);
    return operand;
}

static uint32_t add_per_channel(struct hy_lowering *lowering, uint32_t index)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];

    if (lowering->code != HY_OK)
        return 0;
    nnapi_extents(&lowering->graph->tensors[index], extents);
    return add_per_channel_of(lowering, index, nnapi_rank(&lowering->graph->tensors[index]),
                              extents);
}

uint32_t hy_channel_filter_operand_of(struct hy_lowering *lowering, uint32_t input, uint32_t rank,
                                      const uint32_t *extents)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);

    if (!tensor->data || tensor->element != HY_ELEMENT_INT8)
        hy_refuse_input(lowering, input, "not a constant of quantised int8");
    if (tensor->quantisation.axis != 0)
        hy_refuse_input(lowering, input, "its scales belong to another dimension");
    return add_per_channel_of(lowering, hy_graph_node_input(lowering->node, input), rank, extents);
}

uint32_t hy_filter_operand(struct hy_lowering *lowering, uint32_t input, uint32_t channel_axis)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    if (!tensor->data || tensor->quantisation.count <= 1)
        return hy_input_operand(lowering, input);
    if (tensor->quantisation.axis != channel_axis)
        hy_refuse_input(lowering, input, "its scales belong to another dimension");
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
    if (!tensor->data || !hy_is_byte(tensor) || quantisation->count == 0 ||
        (quantisation->count > 1 && is_uint8)) {
        refuse_tensor(lowering, index, "not a constant of quantised 8 bits");
        return 0;
    }
    uint32_t stored;
    if (quantisation->count > 1)
        stored = add_per_channel(lowering, index);
    else if (quantisation->zero_points[0] == 0 || is_uint8)
        stored = add_constant(lowering, index, ANEURALNETWORKS_TENSOR_QUANT8_SYMM);
    else
        stored = add_constant(lowering, index, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
    const uint32_t real = add_tensor(lowering, index, ANEURALNETWORKS_TENSOR_FLOAT32);

    /* Operands of the operation in hand may have been pushed already. */
    add_operation(lowering, ANEURALNETWORKS_DEQUANTIZE, 1, &stored, 1, &real);
    return real;
}

uint32_t hy_bias_operand(struct hy_lowering *lowering, uint32_t input, int32_t type, uint32_t count,
                         float scale)
{
    const ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = 1, .dimensions = &count, .scale = scale};
    if (hy_has_input(lowering, input) && !hy_input(lowering, input)->data)
        return hy_input_operand(lowering, input);
    const uint32_t operand = add_operand(lowering, &description);
    if (hy_has_input(lowering, input)) {
        set_tensor_data(lowering, hy_graph_node_input(lowering->node, input), operand);
        return operand;
    }
    const size_t bytes = (size_t)count * 4; /* float32 or int32 */
    set_value(lowering, operand, make_constant(lowering, bytes), bytes);
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
                                                    .scale = is_quantised(type) ? 1.0f : 0.0f};
    const uint32_t operand = add_operand(lowering, &description);
    set_value(lowering, operand, NULL, 0);
    return operand;
}

uint32_t hy_temporary_operand(struct hy_lowering *lowering, const struct hy_graph_tensor *like)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];
    nnapi_extents(like, extents);
    return hy_temporary_operand_of(lowering, like, nnapi_rank(like), extents);
}

uint32_t hy_temporary_operand_of(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                 uint32_t rank, const uint32_t *extents)
{
    ANeuralNetworksOperandType description = {
        .type = nnapi_type(like->element), .dimensionCount = rank, .dimensions = extents};
    hy_expect(lowering, description.type >= 0, hy_element_name(like->element));
    describe_quantisation(&like->quantisation, &description);
    return add_operand(lowering, &description);
}

static uint32_t plain_temporary(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                int32_t type)
{
    uint32_t extents[HY_GRAPH_MAX_RANK];
    const ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = nnapi_rank(like), .dimensions = extents};
    nnapi_extents(like, extents);
    return add_operand(lowering, &description);
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
    void *copy = make_constant(lowering, bytes);
    if (!copy)
        return 0;
    if (bytes > 0)
        memcpy(copy, data, bytes);
    const uint32_t operand = add_operand(lowering, type);
    set_value(lowering, operand, copy, bytes);
    return operand;
}

uint32_t hy_constant_operand_like(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                  uint32_t rank, const uint32_t *extents, const void *data,
                                  size_t bytes)
{
    ANeuralNetworksOperandType type = {
        .type = nnapi_type(like->element), .dimensionCount = rank, .dimensions = extents};
    describe_quantisation(&like->quantisation, &type);
    return hy_constant_operand(lowering, &type, data, bytes);
}

/* ---- The operation in hand ------------------------------------------------------------------- */

void hy_push(struct hy_lowering *lowering, uint32_t operand)
{
    if (lowering->code != HY_OK)
        return;
    if (lowering->pushed_count == lowering->pushed_room) {
        const uint32_t room = 2 * lowering->pushed_room;
        uint32_t *grown = realloc(lowering->pushed, room * sizeof *grown);
        if (!grown) {
            lowering->code = hy_fail(lowering->err, HY_OUT_OF_MEMORY, "%u operands", room);
            return;
        }
        lowering->pushed = grown;
        lowering->pushed_room = room;
    }
    lowering->pushed[lowering->pushed_count++] = operand;
}

void hy_push_input(struct hy_lowering *lowering, uint32_t input)
{
    hy_push(lowering, hy_input_operand(lowering, input));
}

uint32_t hy_tensor_operand(struct hy_lowering *lowering, uint32_t tensor, const char *what,
                           uint32_t index)
{
    if (lowering->code != HY_OK)
        return 0;
    const uint32_t operand = tensor_operand(lowering, tensor);
    if (lowering->code != HY_OK)
        hy_error_prefix(lowering->err, lowering->code, "%s %u", what, index);
    return operand;
}

void hy_push_tensor(struct hy_lowering *lowering, uint32_t tensor, const char *what, uint32_t index)
{
    hy_push(lowering, hy_tensor_operand(lowering, tensor, what, index));
}

void hy_push_inputs(struct hy_lowering *lowering)
{
    for (uint32_t i = 0; i < lowering->node->input_count; i++)
        hy_push_input(lowering, i);
}

/* Operations share operands of equal scalars: most operands of a network are strides, paddings and
 * activations, and each costs the runtime and every device as much as a tensor. */
static void push_scalar(struct hy_lowering *lowering, int32_t type, const void *value, size_t bytes)
{
    const ANeuralNetworksOperandType description = {.type = type};
    uint32_t bits = 0;

    memcpy(&bits, value, bytes);
    struct hy_lowering_scalar *scalar =
        &lowering->scalars[(bits ^ bits >> 23 ^ (uint32_t)type << 4) % HY_LOWERING_SCALARS];
    if (!scalar->is_set || scalar->type != type || scalar->bits != bits) {
        const uint32_t operand = add_operand(lowering, &description);
        set_value(lowering, operand, value, bytes);
        *scalar = (struct hy_lowering_scalar){true, type, bits, operand};
    }
    hy_push(lowering, scalar->operand);
}

void hy_push_int(struct hy_lowering *lowering, int32_t value)
{
    push_scalar(lowering, ANEURALNETWORKS_INT32, &value, sizeof value);
}

void hy_push_bool(struct hy_lowering *lowering, bool value)
{
    push_scalar(lowering, ANEURALNETWORKS_BOOL, &value, sizeof value);
}

void hy_push_float(struct hy_lowering *lowering, float value)
{
    push_scalar(lowering, ANEURALNETWORKS_FLOAT32, &value, sizeof value);
}

void hy_push_ints(struct hy_lowering *lowering, const int32_t *values, uint32_t count)
{
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &count};
    hy_push(lowering, hy_constant_operand(lowering, &type, values, count * sizeof *values));
}

/* A scalar of the file is a tensor of one element in NNAPI. */
void hy_push_shape(struct hy_lowering *lowering, const struct hy_graph_tensor *of)
{
    static const int32_t one = 1;
    hy_push_ints(lowering, of->rank ? of->extents : &one, nnapi_rank(of));
}

void hy_push_body(struct hy_lowering *lowering, uint32_t body)
{
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_MODEL};
    struct hy_lowered_model *lowered = NULL;

    if (lowering->code == HY_OK)
        lowering->code = hy_lower_body(lowering->graph->bodies[body], &lowered, lowering->err);
    if (lowering->code != HY_OK)
        return;
    hy_lowered_model_own(lowering->model, lowered);
    const uint32_t operand = add_operand(lowering, &type);
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_setOperandValueFromModel(
                           lowering->model->handle, (int32_t)operand, lowered->handle));
    hy_push(lowering, operand);
}

void hy_push_padding(struct hy_lowering *lowering, enum hy_padding padding)
{
    hy_push_int(lowering, padding == HY_PADDING_SAME ? ANEURALNETWORKS_PADDING_SAME
                                                     : ANEURALNETWORKS_PADDING_VALID);
}

/* An input of the graph that is one int32: the scalar is an input of the model. False where the
 * tensor is another one, or has been used as a tensor. Inputs of bodies are tensors. */
static bool push_scalar_of_graph(struct hy_lowering *lowering, uint32_t index)
{
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    const ANeuralNetworksOperandType description = {.type = ANEURALNETWORKS_INT32};
    uint64_t elements;

    if (lowering->is_body || lowering->operands[index] != HY_INPUT_OPERAND ||
        !hy_is_integer(tensor) || !hy_graph_tensor_elements(tensor, &elements) || elements != 1)
        return false;
    lowering->operands[index] = add_operand(lowering, &description);
    hy_push(lowering, lowering->operands[index]);
    return true;
}

void hy_push_scalar_input(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    float real;
    int32_t integer;

    if (lowering->code != HY_OK)
        return;
    if (push_scalar_of_graph(lowering, hy_graph_node_input(lowering->node, input)))
        return;
    if (!tensor->data || tensor->sparsity) {
        hy_refuse_input(lowering, input, "not a constant");
    } else if (tensor->element == HY_ELEMENT_FLOAT32 && tensor->bytes == sizeof real) {
        memcpy(&real, tensor->data, sizeof real);
        hy_push_float(lowering, real);
    } else if (tensor->element == HY_ELEMENT_INT32 && tensor->bytes == sizeof integer) {
        memcpy(&integer, tensor->data, sizeof integer);
        hy_push_int(lowering, integer);
    } else if (tensor->element == HY_ELEMENT_INT64 && tensor->bytes == sizeof(int64_t)) {
        const int32_t *number = narrow(lowering, hy_graph_node_input(lowering->node, input), 1);
        if (number)
            hy_push_int(lowering, *number);
    } else if (tensor->element == HY_ELEMENT_INT8 && tensor->bytes == 1) {
        hy_push_int(lowering, *(const int8_t *)tensor->data);
    } else if (tensor->element == HY_ELEMENT_UINT8 && tensor->bytes == 1) {
        hy_push_int(lowering, *(const uint8_t *)tensor->data);
    } else {
        hy_refuse_input(lowering, input, "not a single number");
    }
}

void hy_push_activation(struct hy_lowering *lowering, enum hy_activation activation)
{
    static const int32_t codes[] = {
        [HY_ACTIVATION_NONE] = ANEURALNETWORKS_FUSED_NONE,
        [HY_ACTIVATION_RELU] = ANEURALNETWORKS_FUSED_RELU,
        [HY_ACTIVATION_RELU1] = ANEURALNETWORKS_FUSED_RELU1,
        [HY_ACTIVATION_RELU6] = ANEURALNETWORKS_FUSED_RELU6,
    };
    const bool known = activation <= HY_ACTIVATION_RELU6;
    hy_expect(lowering, known, "this fused activation");
    hy_push_int(lowering, known ? codes[activation] : 0);
}

/* The last `output_count` operands that were pushed are the outputs. */
static void add_pushed(struct hy_lowering *lowering, int32_t type, uint32_t output_count)
{
    if (lowering->code == HY_OK) {
        const uint32_t input_count = lowering->pushed_count - output_count;
        add_operation(lowering, type, input_count, lowering->pushed, output_count,
                      lowering->pushed + input_count);
    }
    lowering->pushed_count = 0;
}

void hy_emit(struct hy_lowering *lowering, int32_t type)
{
    for (uint32_t i = 0; i < lowering->node->output_count; i++)
        hy_push(lowering, hy_output_operand(lowering, i));
    add_pushed(lowering, type, lowering->node->output_count);
}

void hy_emit_to(struct hy_lowering *lowering, int32_t type, uint32_t output)
{
    hy_push(lowering, output);
    add_pushed(lowering, type, 1);
}

void hy_emit_to_list(struct hy_lowering *lowering, int32_t type, const uint32_t *outputs,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hy_push(lowering, outputs[i]);
    add_pushed(lowering, type, count);
}

/* A CAST to the same type is the one operation that copies all types and open shapes. */
uint32_t hy_emit_copy(struct hy_lowering *lowering, uint32_t tensor)
{
    const uint32_t copy = hy_temporary_operand(lowering, &lowering->graph->tensors[tensor]);
    hy_push(lowering, tensor_operand(lowering, tensor));
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, copy);
    return copy;
}
