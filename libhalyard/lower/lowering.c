#include "libhalyard/lower/lowering.h"

#include "common/checked.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/model.h"
#include "libhalyard/lower/nnapi_operands.h"
#include "libhalyard/lower/operations.h"

#include <stdlib.h>
#include <string.h>

static const struct hy_graph_tensor no_tensor = {.name = ""};

/* ---- The current node ------------------------------------------------------------------------ */

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

void *hy_scratch_memory(struct hy_lowering *lowering, uint64_t count, size_t size)
{
    uint64_t bytes;

    if (lowering->code != HY_OK)
        return NULL;
    if (!hy_mul_u64(count, size, &bytes))
        bytes = UINT64_MAX;
    void *memory = hy_budget_alloc(&lowering->scratch, lowering->graph->budget, bytes,
                                   "working memory", lowering->err);
    if (!memory)
        lowering->code = HY_OUT_OF_MEMORY;
    return memory;
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

    hy_expect(lowering, fits, "a zero point outside of 8 bits");
    return fits ? zero_point : 0;
}

void hy_refuse_tensor(struct hy_lowering *lowering, uint32_t index, const char *what)
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
    hy_refuse_tensor(lowering, hy_graph_node_input(lowering->node, input), what);
}

/* ---- The current operation ------------------------------------------------------------------- */

void hy_push(struct hy_lowering *lowering, uint32_t operand)
{
    if (lowering->code != HY_OK)
        return;
    if (lowering->pushed_count == lowering->pushed_capacity) {
        const uint32_t capacity = 2 * lowering->pushed_capacity;
        uint32_t *grown = realloc(lowering->pushed, capacity * sizeof *grown);
        if (!grown) {
            lowering->code = hy_fail(lowering->err, HY_OUT_OF_MEMORY, "%u operands", capacity);
            return;
        }
        lowering->pushed = grown;
        lowering->pushed_capacity = capacity;
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
    const uint32_t operand = hy_lowering_tensor_operand(lowering, tensor);
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
        const uint32_t operand = hy_lowering_add_operand(lowering, &description);
        hy_lowering_set_value(lowering, operand, value, bytes);
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
    hy_push_ints(lowering, of->rank ? of->extents : &one, hy_nnapi_rank(of));
}

void hy_push_body(struct hy_lowering *lowering, uint32_t body)
{
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_MODEL};
    struct hy_lowered_model *lowered = NULL;

    if (lowering->code == HY_OK)
        lowering->code = hy_lower_body(lowering->graph->bodies[body], lowering->graph->budget,
                                       &lowered, lowering->err);
    if (lowering->code != HY_OK)
        return;
    hy_lowered_model_own(lowering->model, lowered);
    const uint32_t operand = hy_lowering_add_operand(lowering, &type);
    if (lowering->code == HY_OK)
        hy_lowering_check(lowering,
                          ANeuralNetworksModel_setOperandValueFromModel(
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
        tensor->element != HY_ELEMENT_INT32 || !hy_graph_tensor_elements(tensor, &elements) ||
        elements != 1)
        return false;
    lowering->operands[index] = hy_lowering_add_operand(lowering, &description);
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
    hy_expect(lowering, known, "the fused activation");
    hy_push_int(lowering, known ? codes[activation] : 0);
}

/* The last `output_count` operands that were pushed are the outputs. */
static void add_pushed(struct hy_lowering *lowering, int32_t type, uint32_t output_count)
{
    if (lowering->code == HY_OK) {
        const uint32_t input_count = lowering->pushed_count - output_count;
        hy_lowering_add_operation(lowering, type, input_count, lowering->pushed, output_count,
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
    const struct hy_graph_tensor *of = &lowering->graph->tensors[tensor];
    const uint32_t copy = hy_temporary_operand(lowering, of);
    hy_push(lowering, hy_lowering_tensor_operand(lowering, tensor));
    hy_emit_to(lowering, hy_cast_operation(of->element, of->element), copy);
    return copy;
}
