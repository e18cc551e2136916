#include "libhalyard/tflite/tflite_graph.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/graph/budget.h"
#include "libhalyard/tflite/tflite_custom.h"
#include "libhalyard/tflite/tflite_import.h"
#include "libhalyard/tflite/tflite_node.h"
#include "libhalyard/tflite/tflite_recurrent.h"

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

/* Constants of int4, two elements in a byte and the lower half first, become int8: no operation
 * has half bytes. */
static enum hy_code widen_int4(const struct hy_tflite_tensor *from, struct hy_graph *graph,
                               struct hy_graph_tensor *tensor, struct hy_error *err)
{
    uint64_t count;

    tensor->element = HY_ELEMENT_INT8;
    if (!hy_graph_tensor_elements(tensor, &count) || from->data_bytes != count / 2 + count % 2)
        return hy_fail(err, HY_BAD_DATA, "%llu bytes of int4 do not fit the shape",
                       (unsigned long long)from->data_bytes);
    int8_t *wide = hy_graph_make_constant(graph, count, err);
    if (!wide)
        return HY_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t two = ((const uint8_t *)from->data)[i / 2];
        const int half = i % 2 ? two >> 4 : two & 15;
        wide[i] = (int8_t)(half < 8 ? half : half - 16);
    }
    tensor->data = wide;
    tensor->bytes = count;
    return HY_OK;
}

static enum hy_code add_tensor(const struct hy_tflite_tensor *from, struct hy_graph *graph,
                               struct hy_error *err)
{
    uint32_t index;
    struct hy_graph_tensor tensor = {
        .name = from->name,
        .element = element_of(from->type),
        .rank = from->rank,
        .signature = from->signature,
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
    if (tensor.element == HY_ELEMENT_INT4 && tensor.data && !tensor.sparsity) {
        const enum hy_code code = widen_int4(from, graph, &tensor, err);
        if (code != HY_OK)
            return code;
    }
    const enum hy_code code = hy_tflite_shape_pairs(from, graph, &tensor, err);
    return code == HY_OK ? hy_graph_add_tensor(graph, &tensor, &index, err) : code;
}

static enum hy_code add_tensors(const struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;

    for (uint32_t i = 0; i < subgraph->tensor_count; i++) {
        const struct hy_tflite_tensor *tensor = &subgraph->tensors[i];
        import->tensors[i] = import->graph->tensor_count;
        const enum hy_code code = add_tensor(tensor, import->graph, import->err);
        if (code != HY_OK)
            return hy_error_prefix(import->err, code, "tensor %u (%.64s)", i, tensor->name);
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

/* As hy_tflite_import_list, without a copy if the numbers equal the file's. */
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

/* Marks the outputs of an operator, after checking that it reads no output of a later operator. */
static enum hy_code check_order(const struct hy_tflite_operator *operator_, bool *later,
                                struct hy_error *err)
{
    for (uint32_t i = 0; i < operator_->inputs.count; i++) {
        const int32_t tensor = operator_->inputs.values[i];
        if (tensor >= 0 && later[tensor])
            return hy_fail(err, HY_BAD_DATA, "input %u is tensor %d, computed by a later operator",
                           i, tensor);
    }
    for (uint32_t i = 0; i < operator_->outputs.count; i++)
        later[operator_->outputs.values[i]] = false;
    return HY_OK;
}

/* "CONV_2D", or "CUSTOM name": only the name distinguishes operators of vendors. */
static const char *name_of(const struct hy_tflite_operator *operator_, struct hy_arena *arena)
{
    const char *name = hy_tflite_op_name(operator_->code);
    if (!operator_->custom_name)
        return name;
    const size_t capacity = strlen(name) + 1 + strlen(operator_->custom_name) + 1;
    char *operator_name = hy_arena_alloc(arena, capacity);
    if (operator_name)
        snprintf(operator_name, capacity, "%s %s", name, operator_->custom_name);
    return operator_name;
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

static enum hy_code add_node(struct hy_tflite_import *import,
                             const struct hy_tflite_operator *operator_, struct hy_graph_node *node)
{
    enum hy_code code = translate_operands(import, operator_, node);
    if (code == HY_OK && operator_->custom_name)
        code = hy_tflite_custom_node(operator_, import->graph, node, import->err);
    else if (code == HY_OK)
        hy_tflite_node_meaning(operator_, node);
    if (code == HY_OK)
        code = hy_tflite_import_pairs(import, operator_, node);
    if (code == HY_OK)
        hy_tflite_set_intermediates(import->subgraph, operator_, node);
    return code == HY_OK ? hy_graph_add_node(import->graph, node, import->err) : code;
}

/* Operators that are no node, or more than a node. */
static hy_tflite_import_operator *const special[HY_TFLITE_OP_COUNT] = {
    [HY_TFLITE_OP_ASSIGN_VARIABLE] = hy_tflite_import_assign_variable,
    [HY_TFLITE_OP_CALL] = hy_tflite_import_call,
    [HY_TFLITE_OP_CALL_ONCE] = hy_tflite_import_call_once,
    [HY_TFLITE_OP_HASHTABLE] = hy_tflite_import_hashtable,
    [HY_TFLITE_OP_HASHTABLE_FIND] = hy_tflite_import_hashtable_find,
    [HY_TFLITE_OP_HASHTABLE_IMPORT] = hy_tflite_import_hashtable_import,
    [HY_TFLITE_OP_HASHTABLE_SIZE] = hy_tflite_import_hashtable_size,
    [HY_TFLITE_OP_IF] = hy_tflite_import_if,
    [HY_TFLITE_OP_READ_VARIABLE] = hy_tflite_import_read_variable,
    [HY_TFLITE_OP_VAR_HANDLE] = hy_tflite_import_var_handle,
    [HY_TFLITE_OP_WHILE] = hy_tflite_import_while,
};

/* The error names the failing operator, not the operators that run its subgraph. */
static enum hy_code name_operator(struct hy_tflite_import *import, enum hy_code code,
                                  const struct hy_graph_node *node)
{
    if (import->file->is_named)
        return code;
    import->file->is_named = true;
    hy_error_prefix(import->err, code, "operator %u %s", node->origin, node->operator_name);
    if (node->subgraph > 0)
        hy_error_prefix(import->err, code, "subgraph %u", node->subgraph);
    return code;
}

static enum hy_code add_operator(struct hy_tflite_import *import, uint32_t index)
{
    const struct hy_tflite_operator *operator_ = &import->subgraph->operators[index];
    struct hy_graph_node node = {.subgraph = import->index,
                                 .origin = index,
                                 .operator_name = name_of(operator_, &import->graph->arena)};
    if (!node.operator_name)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "name of operator %u", index);
    enum hy_code code = check_order(operator_, import->later, import->err);
    if (code == HY_OK) {
        hy_tflite_import_operator *add = special[operator_->code];
        code = add ? add(import, operator_, &node) : add_node(import, operator_, &node);
    }
    return code == HY_OK ? HY_OK : name_operator(import, code, &node);
}

/* A constant without elements has no bytes in the file: it is what nothing else gives contents. */
static void mark_empty_constants(const struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;
    struct hy_graph_tensor *tensors = import->graph->tensors;

    for (uint32_t i = 0; i < subgraph->tensor_count; i++) {
        struct hy_graph_tensor *tensor = &tensors[import->tensors[i]];
        uint64_t elements;
        if (!tensor->data && !import->later[i] && hy_graph_tensor_elements(tensor, &elements) &&
            elements == 0)
            tensor->data = "";
    }
    for (uint32_t i = 0; i < subgraph->inputs.count; i++)
        tensors[import->tensors[subgraph->inputs.values[i]]].data = NULL;
}

/* ---- Sub-graphs ------------------------------------------------------------------------------ */

/* The deepest nesting of subgraphs; each level uses stack. */
enum { MOST_NESTED = 64 };

static enum hy_code check_callers(const struct hy_tflite_import *import)
{
    uint32_t depth = 0;

    for (const struct hy_tflite_import *outer = import->outer; outer; outer = outer->outer) {
        if (++depth == MOST_NESTED)
            return hy_fail(import->err, HY_BAD_DATA,
                           "subgraphs call each other more than %d levels deep", MOST_NESTED);
        if (outer->index == import->index)
            return hy_fail(import->err, HY_BAD_DATA, "subgraph %u (%.64s) runs itself",
                           import->index, import->subgraph->name);
    }
    return HY_OK;
}

/* How often the operators may run the average sub-graph, and a number that is too small to matter.
 * Otherwise a small file could ask for a graph of any size. */
enum { MOST_RUNS = 16, SMALL_GRAPH = 1 << 16 };

static uint64_t node_budget(const struct hy_tflite_model *model)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < model->subgraph_count; i++)
        count += (uint64_t)model->subgraphs[i].tensor_count + model->subgraphs[i].operator_count;
    return MOST_RUNS * count + SMALL_GRAPH;
}

static enum hy_code reserve_graph(struct hy_tflite_import *import)
{
    const uint64_t size =
        (uint64_t)import->subgraph->tensor_count + import->subgraph->operator_count + 1;
    if (size > import->file->capacity)
        return hy_fail(import->err, HY_BAD_DATA,
                       "the subgraphs run by operators together have more than %d times the "
                       "tensors and operators of the file",
                       MOST_RUNS);
    import->file->capacity -= size;
    return HY_OK;
}

static enum hy_code make_lists(struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;
    const size_t count = (size_t)subgraph->tensor_count + 1;

    import->tensors = malloc(count * sizeof *import->tensors);
    import->variables_of = malloc(count * sizeof *import->variables_of);
    import->later = calloc(count, sizeof *import->later);
    if (!import->tensors || !import->variables_of || !import->later)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "import of %zu tensors", count);
    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        import->variables_of[i] = HY_TFLITE_NO_VARIABLE;
    for (uint32_t i = 0; i < subgraph->operator_count; i++) {
        const struct hy_tflite_ints *outputs = &subgraph->operators[i].outputs;
        for (uint32_t j = 0; j < outputs->count; j++)
            import->later[outputs->values[j]] = true;
    }
    return HY_OK;
}

enum hy_code hy_tflite_import_tensors(struct hy_tflite_import *import)
{
    enum hy_code code = check_callers(import);
    if (code == HY_OK)
        code = reserve_graph(import);
    if (code != HY_OK)
        return code;
    code = make_lists(import);
    if (code == HY_OK)
        code = add_tensors(import);
    if (code == HY_OK)
        mark_empty_constants(import);
    if (code == HY_OK)
        code = hy_tflite_import_variable_tensors(import);
    if (code != HY_OK && import->index > 0) {
        hy_error_prefix(import->err, code, "subgraph %u", import->index);
        import->file->is_named = true;
    }
    return code;
}

enum hy_code hy_tflite_import_operators(struct hy_tflite_import *import)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < import->subgraph->operator_count; i++)
        code = add_operator(import, i);
    return code;
}

void hy_tflite_import_finish(struct hy_tflite_import *import)
{
    free(import->tensors);
    free(import->variables_of);
    free(import->later);
}

static enum hy_code import_all(struct hy_tflite_import *import)
{
    struct hy_tflite_import_file *file = import->file;

    file->is_initialised = calloc(file->model->subgraph_count, sizeof *file->is_initialised);
    if (!file->is_initialised)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u flags", file->model->subgraph_count);
    enum hy_code code = hy_tflite_import_tensors(import);
    if (code == HY_OK)
        code = hy_tflite_import_operators(import);
    if (code == HY_OK)
        code = hy_tflite_import_states(import);
    return code;
}

enum hy_code hy_tflite_graph(const struct hy_tflite_model *model, uint32_t subgraph,
                             struct hy_graph *graph, struct hy_error *err)
{
    struct hy_tflite_import_file file = {.model = model, .capacity = node_budget(model)};
    struct hy_tflite_used_variables used = {0};
    struct hy_tflite_import import = {
        .file = &file,
        .index = subgraph,
        .subgraph = &model->subgraphs[subgraph],
        .graph = graph,
        .used = &used,
        .err = err,
    };
    const enum hy_code code = import_all(&import);
    hy_tflite_import_finish(&import);
    hy_tflite_used_variables_finish(&used);
    hy_tflite_variables_finish(&file.variables);
    free(file.is_initialised);
    return code;
}
