/* Operators that run a subgraph once: CALL, which is inlined, and CALL_ONCE, which sets the initial
 * contents of variables. */
#include "libhalyard/graph/propagate.h"
#include "libhalyard/tflite/tflite_import.h"

/* ---- Subgraphs and the operators that run them ----------------------------------------------- */

enum hy_code hy_tflite_import_connect(struct hy_tflite_import *inner,
                                      const struct hy_tflite_operator *operator_, uint32_t first,
                                      uint32_t output_count)
{
    const struct hy_tflite_subgraph *subgraph = inner->subgraph;
    const uint32_t given = operator_->inputs.count - first;

    if (given != subgraph->inputs.count)
        return hy_fail(inner->err, HY_BAD_DATA, "subgraph %u has %u inputs, the operator %u",
                       inner->index, subgraph->inputs.count, given);
    if (subgraph->outputs.count != output_count)
        return hy_fail(inner->err, HY_BAD_DATA, "subgraph %u has %u outputs, needs %u",
                       inner->index, subgraph->outputs.count, output_count);
    for (uint32_t i = 0; i < given; i++) {
        const int32_t outside = operator_->inputs.values[first + i];
        if (outside < 0)
            return hy_fail(inner->err, HY_BAD_DATA, "input %u is left out", first + i);
        if (hy_tflite_is_handle(inner->outer, outside))
            inner->variables_of[subgraph->inputs.values[i]] = inner->outer->variables_of[outside];
    }
    return HY_OK;
}

enum hy_code hy_tflite_import_handles_back(struct hy_tflite_import *import,
                                           const struct hy_tflite_import *inner,
                                           const struct hy_tflite_operator *operator_)
{
    for (uint32_t i = 0; i < operator_->outputs.count; i++) {
        const int32_t outside = operator_->outputs.values[i];
        const int32_t inside = inner->subgraph->outputs.values[i];
        if (!hy_tflite_is_handle(inner, inside))
            continue;
        if (hy_tflite_is_handle(import, outside) &&
            import->variables_of[outside] != inner->variables_of[inside])
            return hy_fail(import->err, HY_BAD_DATA, "output %u is the handle of two variables", i);
        import->variables_of[outside] = inner->variables_of[inside];
    }
    return HY_OK;
}

/* ---- CALL ------------------------------------------------------------------------------------ */

static enum hy_code import_callee(struct hy_tflite_import *import, struct hy_tflite_import *callee,
                                  const struct hy_tflite_operator *operator_, uint32_t first)
{
    const struct hy_tflite_subgraph *subgraph = callee->subgraph;

    enum hy_code code = hy_tflite_import_tensors(callee);
    if (code == HY_OK)
        code = hy_tflite_import_connect(callee, operator_, first, operator_->outputs.count);
    for (uint32_t i = 0; code == HY_OK && i < subgraph->inputs.count; i++)
        callee->tensors[subgraph->inputs.values[i]] =
            import->tensors[operator_->inputs.values[first + i]];
    if (code == HY_OK)
        code = hy_tflite_import_operators(callee);
    if (code == HY_OK)
        code = hy_tflite_import_handles_back(import, callee, operator_);
    for (uint32_t i = 0; code == HY_OK && i < subgraph->outputs.count; i++)
        import->tensors[operator_->outputs.values[i]] =
            callee->tensors[subgraph->outputs.values[i]];
    return code;
}

enum hy_code hy_tflite_import_inline(struct hy_tflite_import *import, uint32_t subgraph,
                                     const struct hy_tflite_operator *operator_, uint32_t first)
{
    struct hy_tflite_import callee = {
        .file = import->file,
        .outer = import,
        .index = subgraph,
        .subgraph = &import->file->model->subgraphs[subgraph],
        .graph = import->graph,
        .used = import->used,
        .err = import->err,
    };
    const enum hy_code code = import_callee(import, &callee, operator_, first);
    hy_tflite_import_finish(&callee);
    return code;
}

enum hy_code hy_tflite_import_call(struct hy_tflite_import *import,
                                   const struct hy_tflite_operator *operator_,
                                   struct hy_graph_node *node)
{
    (void)node;
    return hy_tflite_import_inline(import, (uint32_t)operator_->options.call.subgraph, operator_,
                                   0);
}

/* ---- CALL_ONCE ------------------------------------------------------------------------------- */

static bool is_used(const struct hy_tflite_import *import, uint32_t variable)
{
    for (; import; import = import->outer) {
        if (hy_tflite_find_contents(import->used, variable))
            return true;
    }
    return false;
}

/* The initial contents of a variable are a constant, the usual form, or an additional output. */
static enum hy_code set_initial(struct hy_tflite_import *import, struct hy_graph *graph,
                                const struct hy_tflite_contents *contents, uint32_t *outputs)
{
    struct hy_tflite_variable *variable = &import->file->variables.at[contents->variable];
    const struct hy_graph_tensor *tensor = &graph->tensors[contents->now];

    if (contents->now == contents->before)
        return HY_OK; /* the sub-graph only reads the variable */
    if (is_used(import, contents->variable))
        return hy_fail(import->err, HY_BAD_DATA, "variable %.64s is used before", variable->name);
    variable->contents = *tensor;
    if (tensor->data && !tensor->sparsity) {
        variable->initial =
            (struct hy_graph_state){.initial = HY_INITIAL_CONTENTS, .contents = tensor->data};
        return HY_OK;
    }
    variable->initial = (struct hy_graph_state){
        .initial = HY_INITIAL_COMPUTED, .computed_by = graph, .output = graph->output_count};
    outputs[graph->output_count++] = contents->now;
    return HY_OK;
}

/* NNAPI has no model without an input. */
static enum hy_code add_no_input(struct hy_graph *graph, struct hy_error *err)
{
    static const struct hy_graph_tensor nothing = {
        .name = "nothing", .element = HY_ELEMENT_FLOAT32, .rank = 1, .extents = {1}};
    uint32_t *inputs = hy_arena_alloc(&graph->arena, sizeof *inputs);

    if (!inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "input of an initialisation");
    graph->inputs = inputs;
    graph->input_count = 1;
    return hy_graph_add_tensor(graph, &nothing, inputs, err);
}

static enum hy_code import_initialisation(struct hy_tflite_import *import,
                                          struct hy_tflite_import *inner)
{
    struct hy_graph *graph = inner->graph;
    enum hy_code code = hy_tflite_import_tensors(inner);
    if (code == HY_OK)
        code = hy_tflite_import_operators(inner);
    if (code == HY_OK)
        code = hy_graph_propagate(graph, import->err);
    if (code == HY_OK)
        code = add_no_input(graph, import->err);
    if (code != HY_OK)
        return code;
    uint32_t *outputs =
        hy_arena_alloc(&graph->arena, ((size_t)inner->used->count + 1) * sizeof *outputs);
    if (!outputs)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u variables", inner->used->count);
    graph->outputs = outputs;
    for (uint32_t i = 0; code == HY_OK && i < inner->used->count; i++)
        code = set_initial(import, graph, &inner->used->at[i], outputs);
    return code;
}

enum hy_code hy_tflite_import_call_once(struct hy_tflite_import *import,
                                        const struct hy_tflite_operator *operator_,
                                        struct hy_graph_node *node)
{
    const uint32_t subgraph = (uint32_t)operator_->options.call_once.init_subgraph;
    uint32_t body; /* which no node runs; the body owns the first contents */

    (void)node;
    if (import->file->is_initialised[subgraph])
        return HY_OK;
    import->file->is_initialised[subgraph] = true;
    enum hy_code code = hy_graph_add_body(import->graph, &body, import->err);
    if (code != HY_OK)
        return code;
    struct hy_tflite_used_variables used = {0};
    struct hy_tflite_import inner = {
        .file = import->file,
        .outer = import,
        .index = subgraph,
        .subgraph = &import->file->model->subgraphs[subgraph],
        .graph = import->graph->bodies[body],
        .used = &used,
        .err = import->err,
    };
    code = import_initialisation(import, &inner);
    hy_tflite_import_finish(&inner);
    hy_tflite_used_variables_finish(&used);
    return code;
}
