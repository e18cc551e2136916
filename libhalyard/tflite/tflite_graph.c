#include "libhalyard/tflite/tflite_graph.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/tflite/tflite_custom.h"
#include "libhalyard/tflite/tflite_node.h"

/* ---- Tensors --------------------------------------------------------------------------------- */

static enum hy_element element_of(enum hy_tflite_type type)
{
    static const enum hy_element elements[HY_TFLITE_TYPE_COUNT] = {
#define TYPE(number, NAME, name, bits) [HY_TFLITE_##NAME] = HY_ELEMENT_##NAME,
#include "libhalyard/tflite/tflite_types.def"
#undef TYPE
    };
    return elements[type];
}

static enum hy_code add_tensor(const struct hy_tflite_tensor *from, struct hy_graph *graph,
                               struct hy_error *err)
{
    uint32_t index;
    struct hy_graph_tensor tensor = {
        .name = from->name,
        .element = element_of(from->type),
        .rank = from->rank,
        .quantisation = {.count = from->quantisation.count,
                         .axis = from->quantisation.dimension,
                         .scales = from->quantisation.scales,
                         .zero_points = from->quantisation.zero_points},
        .data = from->data,
        .bytes = from->data ? from->data_bytes : 0,
        .is_state = from->is_variable,
        .sparsity = from->sparsity,
    };
    if (from->rank > HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "rank %u, at most %d", from->rank, HY_GRAPH_MAX_RANK);
    if (from->rank > 0)
        memcpy(tensor.extents, from->dims, from->rank * sizeof *from->dims);
    return hy_graph_add_tensor(graph, &tensor, &index, err);
}

static enum hy_code add_tensors(const struct hy_tflite_subgraph *subgraph, struct hy_graph *graph,
                                struct hy_error *err)
{
    for (uint32_t i = 0; i < subgraph->tensor_count; i++) {
        const struct hy_tflite_tensor *tensor = &subgraph->tensors[i];
        const enum hy_code code = add_tensor(tensor, graph, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "tensor %u (%.64s)", i, tensor->name);
    }
    return HY_OK;
}

/* The lists of a file are indices of tensors, or -1 for what is left out: HY_NO_TENSOR as uint32_t.
 */
static const uint32_t *tensors_of(const struct hy_tflite_ints *list)
{
    static_assert((uint32_t)-1 == HY_NO_TENSOR, "an input that is left out is the same number");
    return (const uint32_t *)list->values;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Marks what an operator computes, after it has been seen to read nothing that is computed later.
 */
static enum hy_code check_order(const struct hy_tflite_operator *operator_, bool *later,
                                struct hy_error *err)
{
    for (uint32_t i = 0; i < operator_->inputs.count; i++) {
        const int32_t tensor = operator_->inputs.values[i];
        if (tensor >= 0 && later[tensor])
            return hy_fail(err, HY_BAD_DATA, "input %u is tensor %d, which is computed later", i,
                           tensor);
    }
    for (uint32_t i = 0; i < operator_->outputs.count; i++)
        later[operator_->outputs.values[i]] = false;
    return HY_OK;
}

/* "CONV_2D", or "CUSTOM name": the name is all that tells operators of makers apart. */
static const char *title_of(const struct hy_tflite_operator *operator_, struct hy_arena *arena)
{
    const char *name = hy_tflite_op_name(operator_->code);
    if (!operator_->custom_name)
        return name;
    const size_t room = strlen(name) + 1 + strlen(operator_->custom_name) + 1;
    char *title = hy_arena_alloc(arena, room);
    if (title)
        snprintf(title, room, "%s %s", name, operator_->custom_name);
    return title;
}

static enum hy_code add_node(const struct hy_tflite_operator *operator_, uint32_t origin,
                             bool *later, struct hy_graph *graph, struct hy_error *err)
{
    struct hy_graph_node node = {
        .origin = origin,
        .title = title_of(operator_, &graph->arena),
        .input_count = operator_->inputs.count,
        .output_count = operator_->outputs.count,
        .inputs = tensors_of(&operator_->inputs),
        .outputs = tensors_of(&operator_->outputs),
    };
    if (!node.title)
        return hy_fail(err, HY_OUT_OF_MEMORY, "name of operator %u", origin);
    enum hy_code code = check_order(operator_, later, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "operator %u %s", origin, node.title);
    if (operator_->custom_name)
        code = hy_tflite_custom_node(operator_, graph, &node, err);
    else
        hy_tflite_node_meaning(operator_, &node);
    if (code != HY_OK)
        return code;
    return hy_graph_add_node(graph, &node, err);
}

/* A constant without elements has no bytes in the file: it is what nothing else gives contents. */
static void mark_empty_constants(const struct hy_tflite_subgraph *subgraph, const bool *computed,
                                 struct hy_graph *graph)
{
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        struct hy_graph_tensor *tensor = &graph->tensors[i];
        uint64_t elements;
        if (!tensor->data && !computed[i] && hy_graph_tensor_elements(tensor, &elements) &&
            elements == 0)
            tensor->data = "";
    }
    for (uint32_t i = 0; i < subgraph->inputs.count; i++)
        graph->tensors[subgraph->inputs.values[i]].data = NULL;
}

static enum hy_code add_nodes(const struct hy_tflite_subgraph *subgraph, struct hy_graph *graph,
                              struct hy_error *err)
{
    bool *later = calloc((size_t)subgraph->tensor_count + 1, sizeof *later);
    if (!later)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u flags", subgraph->tensor_count);

    for (uint32_t i = 0; i < subgraph->operator_count; i++) {
        const struct hy_tflite_ints *outputs = &subgraph->operators[i].outputs;
        for (uint32_t j = 0; j < outputs->count; j++)
            later[outputs->values[j]] = true;
    }
    mark_empty_constants(subgraph, later, graph);
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < subgraph->operator_count; i++)
        code = add_node(&subgraph->operators[i], i, later, graph, err);
    free(later);
    return code;
}

enum hy_code hy_tflite_graph(const struct hy_tflite_subgraph *subgraph, struct hy_graph *graph,
                             struct hy_error *err)
{
    enum hy_code code = add_tensors(subgraph, graph, err);
    if (code == HY_OK)
        code = add_nodes(subgraph, graph, err);
    graph->input_count = subgraph->inputs.count;
    graph->inputs = tensors_of(&subgraph->inputs);
    graph->output_count = subgraph->outputs.count;
    graph->outputs = tensors_of(&subgraph->outputs);
    return code;
}
