#include "libhalyard/lower/legal/legalise.h"

#include <string.h>

#include "common/checked.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/graph/constant.h"

/* ---- Tensors and shapes ---------------------------------------------------------------------- */

static const struct hy_graph_tensor no_tensor = {.name = ""};

struct hy_graph_tensor hy_legal_tensor(const struct hy_legaliser *legaliser, uint32_t tensor)
{
    return tensor == HY_NO_TENSOR ? no_tensor : legaliser->graph->tensors[tensor];
}

struct hy_graph_tensor hy_legal_input(const struct hy_legaliser *legaliser, uint32_t input)
{
    return hy_legal_tensor(legaliser, hy_graph_node_input(legaliser->node, input));
}

struct hy_graph_tensor hy_legal_output(const struct hy_legaliser *legaliser, uint32_t output)
{
    return hy_legal_tensor(legaliser, legaliser->node->outputs[output]);
}

struct hy_shape hy_legal_shape_of(const struct hy_graph_tensor *tensor)
{
    struct hy_shape shape = {.rank = tensor->rank};
    memcpy(shape.extents, tensor->extents, tensor->rank * sizeof *tensor->extents);
    return shape;
}

bool hy_legal_same_shape(const struct hy_shape *a, const struct hy_shape *b)
{
    return a->rank == b->rank && memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

int32_t hy_legal_elements(const struct hy_shape *shape)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        elements *= shape->extents[i];
        if (elements > INT32_MAX)
            return 0;
    }
    return (int32_t)elements;
}

int64_t hy_legal_numbers(const struct hy_legaliser *legaliser, uint32_t input, int64_t *numbers,
                         uint32_t capacity)
{
    const uint32_t tensor = hy_graph_node_input(legaliser->node, input);
    if (tensor == HY_NO_TENSOR)
        return -1;
    return hy_constant_ints(&legaliser->graph->tensors[tensor], numbers, capacity);
}

bool hy_legal_axis(int64_t axis, uint32_t rank, uint32_t *ret_axis)
{
    axis += axis < 0 ? (int64_t)rank : 0;
    *ret_axis = (uint32_t)axis;
    return axis >= 0 && axis < (int64_t)rank;
}

bool hy_legal_axis_input(const struct hy_legaliser *legaliser, uint32_t input, uint32_t rank,
                         uint32_t *ret_axis)
{
    int64_t axis;
    return hy_legal_numbers(legaliser, input, &axis, 1) == 1 && hy_legal_axis(axis, rank, ret_axis);
}

struct hy_shape hy_legal_around(const struct hy_shape *shape, uint32_t axis)
{
    struct hy_shape around = {.rank = 3, .extents = {1, shape->extents[axis], 1}};
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i != axis)
            around.extents[i < axis ? 0 : 2] *= shape->extents[i];
    }
    return around;
}

/* ---- New tensors ----------------------------------------------------------------------------- */

static uint32_t add(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                    const struct hy_shape *shape, const void *data)
{
    struct hy_graph_tensor tensor = {
        .name = "", .element = like->element, .rank = shape->rank, .data = data};
    uint32_t index = 0;

    if (legaliser->code != HY_OK)
        return 0;
    memcpy(tensor.extents, shape->extents, shape->rank * sizeof *shape->extents);
    if (like->quantisation.count == 1)
        tensor.quantisation = like->quantisation;
    if (data)
        hy_element_bytes(tensor.element, tensor.rank, tensor.extents, &tensor.bytes);
    legaliser->code = hy_graph_add_tensor(legaliser->graph, &tensor, &index, legaliser->err);
    return legaliser->code == HY_OK ? index : 0;
}

uint32_t hy_legal_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                        const struct hy_shape *shape)
{
    return add(legaliser, like, shape, NULL);
}

/* Elements of a constant that a rule makes, at most: a small file may have large tensors. */
enum { MOST_MADE = 1 << 24 };

void *hy_legal_memory(struct hy_legaliser *legaliser, uint64_t count, size_t size)
{
    if (legaliser->code != HY_OK)
        return NULL;
    if (count > MOST_MADE) {
        legaliser->code =
            hy_fail(legaliser->err, HY_BAD_DATA,
                    "the NNAPI form needs a list of %llu elements, at most %d are allowed",
                    (unsigned long long)count, MOST_MADE);
        return NULL;
    }
    const uint64_t bytes = count * size; /* 2^24 elements at most */
    void *memory = hy_graph_make_constant(legaliser->graph, bytes, legaliser->err);
    if (memory)
        memset(memory, 0, (size_t)bytes);
    else
        legaliser->code = HY_OUT_OF_MEMORY;
    return memory;
}

uint32_t hy_legal_constant(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                           const struct hy_shape *shape, const void *data)
{
    return add(legaliser, like, shape, data);
}

uint32_t hy_legal_filled(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                         const struct hy_shape *shape, const void *element)
{
    const size_t size = hy_element_bits(like->element) / 8;
    const int32_t count = hy_legal_elements(shape);

    /* `element` has eight bytes at most: longer elements, complex128, have no NNAPI type. */
    if (legaliser->code == HY_OK && size > sizeof(int64_t))
        legaliser->code = hy_fail(legaliser->err, HY_BAD_DATA, "%s has no NNAPI form",
                                  hy_element_name(like->element));
    char *data = hy_legal_memory(legaliser, (uint64_t)count, size);

    for (int32_t i = 0; data && i < count; i++)
        memcpy(data + (size_t)i * size, element, size);
    return add(legaliser, like, shape, data);
}

static const struct hy_graph_tensor int_tensor = {.name = "", .element = HY_ELEMENT_INT32};

uint32_t hy_legal_int_tensor(struct hy_legaliser *legaliser, const struct hy_shape *shape,
                             const int32_t *numbers)
{
    return add(legaliser, &int_tensor, shape, numbers);
}

uint32_t hy_legal_ints(struct hy_legaliser *legaliser, const int32_t *numbers, uint32_t count)
{
    const struct hy_shape shape = {.rank = 1, .extents = {(int32_t)count}};
    int32_t *data = hy_legal_memory(legaliser, count, sizeof *data);

    if (data && count > 0)
        memcpy(data, numbers, count * sizeof *data);
    return add(legaliser, &int_tensor, &shape, data);
}

uint32_t hy_legal_int(struct hy_legaliser *legaliser, int32_t number)
{
    const struct hy_shape shape = {0};
    int32_t *data = hy_legal_memory(legaliser, 1, sizeof *data);

    if (data)
        *data = number;
    return add(legaliser, &int_tensor, &shape, data);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

void hy_legal_emit_list(struct hy_legaliser *legaliser, enum hy_operator operator_,
                        const union hy_attributes *attributes, const uint32_t *inputs,
                        uint32_t input_count, const uint32_t *outputs, uint32_t output_count)
{
    if (legaliser->code != HY_OK)
        return;
    struct hy_arena *arena = &legaliser->graph->arena;
    struct hy_graph_node node = {
        .operator_ = operator_,
        .subgraph = legaliser->node->subgraph,
        .origin = legaliser->node->origin,
        .operator_name = legaliser->node->operator_name,
        .input_count = input_count,
        .output_count = output_count,
        .inputs = hy_arena_copy(arena, inputs, input_count, sizeof *inputs),
        .outputs = hy_arena_copy(arena, outputs, output_count, sizeof *outputs),
    };
    if (attributes)
        node.attributes = *attributes;
    if (!node.inputs || !node.outputs) {
        legaliser->code =
            hy_fail(legaliser->err, HY_OUT_OF_MEMORY, "node of %u inputs", input_count);
        return;
    }
    legaliser->legalise(legaliser, &node);
}

void hy_legal_emit(struct hy_legaliser *legaliser, enum hy_operator operator_,
                   const union hy_attributes *attributes, const uint32_t *inputs, uint32_t count,
                   uint32_t output)
{
    hy_legal_emit_list(legaliser, operator_, attributes, inputs, count, &output, 1);
}

uint32_t hy_legal_node(struct hy_legaliser *legaliser, enum hy_operator operator_,
                       const union hy_attributes *attributes, const uint32_t *inputs,
                       uint32_t count, const struct hy_graph_tensor *like,
                       const struct hy_shape *shape)
{
    const uint32_t output = hy_legal_value(legaliser, like, shape);
    hy_legal_emit(legaliser, operator_, attributes, inputs, count, output);
    return output;
}

static bool has_plain_data(const struct hy_graph_tensor *tensor)
{
    return tensor->data && !tensor->sparsity;
}

/* The data of a constant, in another shape. */
static uint32_t reshaped_constant(struct hy_legaliser *legaliser, uint32_t tensor,
                                  const struct hy_shape *shape)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    struct hy_graph_tensor other = {.rank = shape->rank};
    uint64_t had, wanted;

    memcpy(other.extents, shape->extents, sizeof other.extents);
    if (hy_graph_tensor_elements(&from, &had) && hy_graph_tensor_elements(&other, &wanted) &&
        had == wanted)
        return add(legaliser, &from, shape, from.data);
    legaliser->code = hy_fail(
        legaliser->err, HY_BAD_DATA,
        "tensor %u (%.64s): the number of elements does not match the operator", tensor, from.name);
    return 0;
}

uint32_t hy_legal_reshape(struct hy_legaliser *legaliser, uint32_t tensor,
                          const struct hy_shape *shape)
{
    if (legaliser->code != HY_OK)
        return 0;
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_shape own = hy_legal_shape_of(&from);

    if (hy_legal_same_shape(&own, shape))
        return tensor;
    if (has_plain_data(&from))
        return reshaped_constant(legaliser, tensor, shape);
    return hy_legal_node(legaliser, HY_OPERATOR_RESHAPE, NULL, &tensor, 1, &from, shape);
}

uint32_t hy_legal_whole_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                              const struct hy_shape *shape)
{
    const uint32_t value = hy_legal_value(legaliser, like, shape);

    if (legaliser->code == HY_OK)
        legaliser->graph->tensors[value].is_whole = shape->rank > HY_LEGAL_RANK;
    return value;
}

uint32_t hy_legal_whole(struct hy_legaliser *legaliser, uint32_t tensor,
                        const struct hy_shape *shape)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);

    if (legaliser->code != HY_OK)
        return 0;
    if (has_plain_data(&from)) {
        const uint32_t constant = reshaped_constant(legaliser, tensor, shape);
        if (legaliser->code == HY_OK)
            legaliser->graph->tensors[constant].is_whole = shape->rank > HY_LEGAL_RANK;
        return constant;
    }
    const uint32_t whole = hy_legal_whole_value(legaliser, &from, shape);
    hy_legal_emit(legaliser, HY_OPERATOR_RESHAPE, NULL, &tensor, 1, whole);
    return whole;
}

void hy_legal_give(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t output)
{
    hy_legal_emit(legaliser, HY_OPERATOR_RESHAPE, NULL, &tensor, 1,
                  legaliser->node->outputs[output]);
}

uint32_t hy_legal_gather(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t axis,
                         uint32_t indices, int32_t count)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const union hy_attributes attributes = {.gather = {.axis = (int32_t)axis}};
    struct hy_shape shape = hy_legal_shape_of(&from);

    shape.extents[axis] = count;
    return hy_legal_node(legaliser, HY_OPERATOR_GATHER, &attributes,
                         (const uint32_t[]){tensor, indices}, 2, &from, &shape);
}

/* The element that a constant repeats, or NULL. */
static const void *only_element(const struct hy_graph_tensor *tensor)
{
    const struct hy_shape shape = hy_legal_shape_of(tensor);
    return tensor->data && !tensor->sparsity && hy_legal_elements(&shape) == 1 ? tensor->data
                                                                               : NULL;
}

uint32_t hy_legal_broadcast(struct hy_legaliser *legaliser, uint32_t tensor,
                            const struct hy_shape *shape)
{
    if (legaliser->code != HY_OK)
        return 0;
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_shape own = hy_legal_shape_of(&from);

    if (hy_legal_same_shape(&own, shape))
        return tensor;
    if (only_element(&from))
        return hy_legal_filled(legaliser, &from, shape, only_element(&from));
    const uint32_t extents = hy_legal_ints(legaliser, shape->extents, shape->rank);
    return hy_legal_node(legaliser, HY_OPERATOR_BROADCAST_TO, NULL,
                         (const uint32_t[]){tensor, extents}, 2, &from, shape);
}
