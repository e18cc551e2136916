#include "libhalyard/lower/legal/legal_rules.h"

#include <inttypes.h>
#include <string.h>

#include "libhalyard/graph/index_inputs.h"

/* Operations of NNAPI need indices of int32; operations of the extension also accept int64 at
 * inputs of either type. */

/* ---- Constants ------------------------------------------------------------------------------- */

static bool has_plain_data(const struct hy_graph_tensor *tensor)
{
    return tensor->data && !tensor->sparsity;
}

static int64_t load(const struct hy_graph_tensor *from, uint64_t position)
{
    int64_t number;

    memcpy(&number, (const char *)from->data + position * sizeof number, sizeof number);
    return number;
}

/* An int64 constant as int32. */
static uint32_t narrow_constant(struct hy_legaliser *legaliser, uint32_t input)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, input);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    const uint64_t count = from.bytes / sizeof(int64_t);
    int32_t *numbers = hy_legal_memory(legaliser, count, sizeof *numbers);

    for (uint64_t i = 0; numbers && i < count; i++) {
        const int64_t number = load(&from, i);
        numbers[i] = (int32_t)number;
        if (numbers[i] == number)
            continue;
        legaliser->code = hy_fail(legaliser->err, HY_BAD_DATA,
                                  "tensor %u (%.64s): element %" PRIu64 " is %" PRId64
                                  ", an index that needs more than 32 bits",
                                  legaliser->node->inputs[input], from.name, i, number);
        return 0;
    }
    return hy_legal_int_tensor(legaliser, &shape, numbers);
}

/* ---- Numbers that a run computes ------------------------------------------------------------- */

/* A tensor of integers without a quantisation, whatever the file has. */
static struct hy_graph_tensor integers_like(const struct hy_graph_tensor *tensor,
                                            enum hy_element element)
{
    struct hy_graph_tensor like = *tensor;

    like.element = element;
    like.quantisation = (struct hy_graph_quantisation){0};
    return like;
}

static uint32_t cast(struct hy_legaliser *legaliser, uint32_t tensor, enum hy_element to)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_graph_tensor like = integers_like(&from, to);
    const struct hy_shape shape = hy_legal_shape_of(&from);

    return hy_legal_node(legaliser, HY_OPERATOR_CAST, NULL, &tensor, 1, &like, &shape);
}

/* The smaller or the larger of each element and a number. */
static uint32_t limit(struct hy_legaliser *legaliser, enum hy_operator operator_, uint32_t tensor,
                      int64_t number)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_graph_tensor like = integers_like(&from, HY_ELEMENT_INT64);
    const struct hy_shape shape = hy_legal_shape_of(&from), one = {0};
    const uint32_t inputs[2] = {tensor, hy_legal_filled(legaliser, &like, &one, &number)};

    return hy_legal_node(legaliser, operator_, NULL, inputs, 2, &like, &shape);
}

/* CAST computes modulo 2^32, and would turn invalid indices into valid ones. */
static uint32_t narrow_computed(struct hy_legaliser *legaliser, uint32_t tensor)
{
    tensor = limit(legaliser, HY_OPERATOR_MINIMUM, tensor, INT32_MAX);
    tensor = limit(legaliser, HY_OPERATOR_MAXIMUM, tensor, INT32_MIN);
    return cast(legaliser, tensor, HY_ELEMENT_INT32);
}

/* ---- The rule -------------------------------------------------------------------------------- */

static bool is_of(const struct hy_legaliser *legaliser, uint32_t input, enum hy_element element)
{
    return hy_graph_node_input(legaliser->node, input) != HY_NO_TENSOR &&
           hy_legal_input(legaliser, input).element == element;
}

static bool is_computed(const struct hy_legaliser *legaliser, uint32_t input)
{
    const struct hy_graph_tensor tensor = hy_legal_input(legaliser, input);

    return !has_plain_data(&tensor);
}

enum which { ANY, COMPUTED }; /* also constants, or what a run computes alone */

/* Whether one of the inputs is int64. */
static bool has_wide(const struct hy_legaliser *legaliser, uint32_t inputs, enum which which)
{
    for (uint32_t i = 0; inputs >> i; i++) {
        if ((inputs >> i & 1) && is_of(legaliser, i, HY_ELEMENT_INT64) &&
            (which == ANY || is_computed(legaliser, i)))
            return true;
    }
    return false;
}

/* An input of indices as the operation wants them. */
static uint32_t converted(struct hy_legaliser *legaliser, uint32_t input, bool is_wide,
                          bool is_parameter)
{
    const uint32_t tensor = legaliser->node->inputs[input];

    if (is_of(legaliser, input, HY_ELEMENT_INT32))
        return is_wide ? cast(legaliser, tensor, HY_ELEMENT_INT64) : tensor;
    if (!is_of(legaliser, input, HY_ELEMENT_INT64) || is_wide)
        return tensor;
    if (!is_computed(legaliser, input))
        return narrow_constant(legaliser, input);
    return is_parameter ? tensor : narrow_computed(legaliser, tensor);
}

/* The inputs of the current node, with converted indices; true if an input has changed. */
static bool convert(struct hy_legaliser *legaliser, const struct hy_index_inputs *of,
                    uint32_t *inputs)
{
    const struct hy_graph_node *node = legaliser->node;
    const uint32_t all = hy_index_inputs_all(of);
    const bool is_wide = has_wide(legaliser, of->either, COMPUTED);
    bool changes = false;

    for (uint32_t i = 0; i < node->input_count && all >> i && legaliser->code == HY_OK; i++) {
        if (!(all >> i & 1))
            continue;
        inputs[i] =
            converted(legaliser, i, is_wide && (of->either >> i & 1), of->parameters >> i & 1);
        changes |= inputs[i] != node->inputs[i];
    }
    return changes;
}

bool hy_legalise_indices(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_index_inputs *of = hy_index_inputs_of(node->operator_);

    if (!has_wide(legaliser, hy_index_inputs_all(of), ANY))
        return false;
    uint32_t *inputs =
        hy_arena_copy(&legaliser->graph->arena, node->inputs, node->input_count, sizeof *inputs);
    if (!inputs)
        legaliser->code =
            hy_fail(legaliser->err, HY_OUT_OF_MEMORY, "node of %u inputs", node->input_count);
    else if (!convert(legaliser, of, inputs) && legaliser->code == HY_OK)
        return false;
    hy_legal_emit_list(legaliser, node->operator_, &node->attributes, inputs, node->input_count,
                       node->outputs, node->output_count);
    return true;
}
