#include "libhalyard/tflite/tflite_graph.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/tflite/tflite_custom.h"
#include "libhalyard/tflite/tflite_import.h"
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

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The lists of a file are indices of tensors, or -1 for what is left out: HY_NO_TENSOR as uint32_t.
 */
static const uint32_t *tensors_of(const struct hy_tflite_ints *list)
{
    static_assert((uint32_t)-1 == HY_NO_TENSOR, "an input that is left out is the same number");
    return (const uint32_t *)list->values;
}

static uint32_t tensor_of(const struct hy_tflite_import *import, int32_t tensor)
{
    return tensor < 0 ? HY_NO_TENSOR : import->tensors[tensor];
}

uint32_t *hy_tflite_import_list(const struct hy_tflite_import *import,
                                const struct hy_tflite_ints *list, uint32_t more)
{
    uint32_t *tensors =
        hy_arena_alloc(&import->graph->arena, ((size_t)list->count + more + 1) * sizeof *tensors);
    for (uint32_t i = 0; tensors && i < list->count; i++)
        tensors[i] = tensor_of(import, list->values[i]);
    return tensors;
}

/* The same without a copy where the numbers are those of the file. */
static enum hy_code translate_list(const struct hy_tflite_import *import,
                                   const struct hy_tflite_ints *list, const uint32_t **ret_tensors)
{
    *ret_tensors = tensors_of(list);
    for (uint32_t i = 0; i < list->count; i++) {
        if (tensor_of(import, list->values[i]) == (*ret_tensors)[i])
            continue;
        *ret_tensors = hy_tflite_import_list(import, list, 0);
        return *ret_tensors ? HY_OK
                            : hy_fail(import->err, HY_OUT_OF_MEMORY, "%u operands", list->count);
    }
    return HY_OK;
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

static enum hy_code translate_operands(struct hy_tflite_import *import,
                                       const struct hy_tflite_operator *operator_,
                                       struct hy_graph_node *node)
{
    node->input_count = operator_->inputs.count;
    node->output_count = operator_->outputs.count;
    enum hy_code code = translate_list(import, &operator_->inputs, &node->inputs);
    if (code == HY_OK)
        code = translate_list(import, &operator_->outputs, &node->outputs);
    if (code == HY_OK)
        code = hy_tflite_import_recurrent(import, operator_, node);
    return code;
}

static enum hy_code translate(struct hy_tflite_import *import,
                              const struct hy_tflite_operator *operator_,
                              struct hy_graph_node *node)
{
    enum hy_code code = check_order(operator_, import->later, import->err);
    if (code == HY_OK)
        code = translate_operands(import, operator_, node);
    if (code == HY_OK && operator_->custom_name)
        code = hy_tflite_custom_node(operator_, import->graph, node, import->err);
    else if (code == HY_OK)
        hy_tflite_node_meaning(operator_, node);
    if (code != HY_OK)
        return hy_error_prefix(import->err, code, "operator %u %s", node->origin, node->title);
    return hy_graph_add_node(import->graph, node, import->err);
}

static enum hy_code add_node(struct hy_tflite_import *import, uint32_t index)
{
    const struct hy_tflite_operator *operator_ = &import->subgraph->operators[index];
    struct hy_graph_node node = {.origin = index,
                                 .title = title_of(operator_, &import->graph->arena)};
    if (!node.title)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "name of operator %u", index);
    return translate(import, operator_, &node);
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

static enum hy_code add_nodes(struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;

    for (uint32_t i = 0; i < subgraph->operator_count; i++) {
        const struct hy_tflite_ints *outputs = &subgraph->operators[i].outputs;
        for (uint32_t j = 0; j < outputs->count; j++)
            import->later[outputs->values[j]] = true;
    }
    mark_empty_constants(subgraph, import->later, import->graph);
    enum hy_code code = hy_tflite_import_variable_tensors(import);
    for (uint32_t i = 0; code == HY_OK && i < subgraph->operator_count; i++)
        code = add_node(import, i);
    return code;
}

/* ---- Sub-graphs ------------------------------------------------------------------------------ */

static enum hy_code start(struct hy_tflite_import *import)
{
    const size_t count = (size_t)import->subgraph->tensor_count + 1;

    import->tensors = malloc(count * sizeof *import->tensors);
    import->variables_of = malloc(count * sizeof *import->variables_of);
    import->later = calloc(count, sizeof *import->later);
    if (!import->tensors || !import->variables_of || !import->later)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "import of %zu tensors", count);
    for (uint32_t i = 0; i < import->subgraph->tensor_count; i++) {
        import->tensors[i] = i;
        import->variables_of[i] = HY_TFLITE_NO_VARIABLE;
    }
    return add_tensors(import->subgraph, import->graph, import->err);
}

static void finish(struct hy_tflite_import *import)
{
    hy_tflite_used_variables_finish(&import->used);
    free(import->tensors);
    free(import->variables_of);
    free(import->later);
}

enum hy_code hy_tflite_graph(const struct hy_tflite_model *model, uint32_t subgraph,
                             struct hy_graph *graph, struct hy_error *err)
{
    struct hy_tflite_variables variables = {0};
    struct hy_tflite_import import = {
        .model = model,
        .index = subgraph,
        .subgraph = &model->subgraphs[subgraph],
        .graph = graph,
        .variables = &variables,
        .err = err,
    };
    enum hy_code code = start(&import);
    if (code == HY_OK)
        code = add_nodes(&import);
    if (code == HY_OK)
        code = hy_tflite_import_states(&import);
    finish(&import);
    hy_tflite_variables_finish(&variables);
    return code;
}
