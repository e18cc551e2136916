/* Operators that read or change variables. A graph has no variables: the contents of a variable are
 * a sequence of tensors. */
#include <string.h>

#include "libhalyard/tflite/tflite_import.h"

/* ---- Variable tensors ------------------------------------------------------------------------ */

static bool is_input(const struct hy_tflite_subgraph *subgraph, uint32_t tensor)
{
    for (uint32_t i = 0; i < subgraph->inputs.count; i++) {
        if ((uint32_t)subgraph->inputs.values[i] == tensor)
            return true;
    }
    return false;
}

/* A variable tensor whose contents come from elsewhere is an everyday tensor. */
static bool is_variable(const struct hy_tflite_import *import, uint32_t tensor)
{
    return import->subgraph->tensors[tensor].is_variable &&
           !import->subgraph->tensors[tensor].data && !import->later[tensor] &&
           !is_input(import->subgraph, tensor);
}

/* A sub-graph that is inlined for the second time finds what the first time has left. */
static enum hy_code use_variable_tensor(struct hy_tflite_import *import, uint32_t tensor)
{
    uint32_t *variable = &import->variables_of[tensor];
    enum hy_code code =
        hy_tflite_variable_of_tensor(&import->file->variables, import->index, tensor,
                                     import->subgraph->tensors[tensor].name, variable, import->err);
    if (code != HY_OK)
        return code;
    const struct hy_tflite_contents *contents = hy_tflite_find_contents(import->used, *variable);
    if (contents)
        import->tensors[tensor] = contents->now;
    else
        code =
            hy_tflite_add_contents(import->used, *variable, import->tensors[tensor], import->err);
    return code;
}

enum hy_code hy_tflite_import_variable_tensors(struct hy_tflite_import *import)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < import->subgraph->tensor_count; i++) {
        if (is_variable(import, i))
            code = use_variable_tensor(import, i);
    }
    return code;
}

/* ---- Recurrent operators --------------------------------------------------------------------- */

static bool is_recurrent(enum hy_tflite_op code)
{
    switch (code) {
    case HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_LSTM:
    case HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_RNN:
    case HY_TFLITE_OP_LSTM:
    case HY_TFLITE_OP_RNN:
    case HY_TFLITE_OP_SVDF:
    case HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM:
    case HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN:
        return true;
    default:
        return false;
    }
}

/* A variable tensor is the contents of the variable; a handle is not. */
static bool has_variable(const struct hy_tflite_import *import, int32_t tensor)
{
    if (tensor < 0 || import->variables_of[tensor] == HY_TFLITE_NO_VARIABLE)
        return false;
    const struct hy_tflite_contents *contents =
        hy_tflite_find_contents(import->used, import->variables_of[tensor]);
    return contents && contents->now == import->tensors[tensor];
}

/* The contents of a variable tensor after a node. */
static enum hy_code add_contents_after(struct hy_tflite_import *import, uint32_t tensor,
                                       uint32_t *ret_output)
{
    const struct hy_graph_tensor after = import->graph->tensors[import->tensors[tensor]];
    const enum hy_code code = hy_graph_add_tensor(import->graph, &after, ret_output, import->err);
    if (code == HY_OK) {
        hy_tflite_find_contents(import->used, import->variables_of[tensor])->now = *ret_output;
        import->tensors[tensor] = *ret_output;
    }
    return code;
}

/* The basic kernel of LSTM has the contents after a step among its outputs: activation, cell. */
static bool has_contents_among_outputs(const struct hy_tflite_operator *operator_)
{
    return operator_->code == HY_TFLITE_OP_LSTM && operator_->options.lstm.kernel_type != 0 &&
           operator_->inputs.count >= 5 && operator_->outputs.count >= 2;
}

static void use_outputs(struct hy_tflite_import *import, const struct hy_tflite_operator *operator_)
{
    static const uint32_t states[] = {1, 4}; /* inputs; outputs 0 and 1 follow them */

    for (uint32_t i = 0; i < 2; i++) {
        const int32_t tensor = operator_->inputs.values[states[i]];
        if (!has_variable(import, tensor))
            continue;
        import->tensors[tensor] = import->tensors[operator_->outputs.values[i]];
        hy_tflite_find_contents(import->used, import->variables_of[tensor])->now =
            import->tensors[tensor];
    }
}

enum hy_code hy_tflite_import_recurrent(struct hy_tflite_import *import,
                                        const struct hy_tflite_operator *operator_,
                                        struct hy_graph_node *node)
{
    enum hy_code code = HY_OK;
    uint32_t count = 0;

    for (uint32_t i = 0; is_recurrent(operator_->code) && i < operator_->inputs.count; i++)
        count += has_variable(import, operator_->inputs.values[i]);
    if (count == 0)
        return HY_OK;
    if (has_contents_among_outputs(operator_)) {
        use_outputs(import, operator_);
        return HY_OK;
    }
    uint32_t *outputs = hy_tflite_import_list(import, &operator_->outputs, count);
    if (!outputs)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u states of an operator", count);
    node->outputs = outputs;
    for (uint32_t i = 0; code == HY_OK && i < operator_->inputs.count; i++) {
        if (!has_variable(import, operator_->inputs.values[i]))
            continue;
        code = add_contents_after(import, (uint32_t)operator_->inputs.values[i],
                                  &outputs[node->output_count++]);
    }
    return code;
}

/* ---- Resources ------------------------------------------------------------------------------- */

/* CALL_ONCE determines the type. */
static bool has_contents(const struct hy_tflite_variable *variable)
{
    return variable->initial.initial == HY_INITIAL_CONTENTS ||
           variable->initial.initial == HY_INITIAL_COMPUTED;
}

enum hy_code hy_tflite_use_variable(struct hy_tflite_import *import, uint32_t variable,
                                    const struct hy_graph_tensor *like,
                                    struct hy_tflite_contents **ret_contents)
{
    const struct hy_tflite_variable *of = &import->file->variables.at[variable];
    uint32_t before;

    *ret_contents = hy_tflite_find_contents(import->used, variable);
    if (*ret_contents)
        return HY_OK;
    struct hy_graph_tensor tensor = has_contents(of) ? of->contents : *like;
    tensor.name = of->name;
    tensor.data = NULL;
    tensor.bytes = 0;
    enum hy_code code = hy_graph_add_tensor(import->graph, &tensor, &before, import->err);
    if (code == HY_OK)
        code = hy_tflite_add_contents(import->used, variable, before, import->err);
    if (code == HY_OK)
        *ret_contents = hy_tflite_find_contents(import->used, variable);
    return code;
}

enum hy_code hy_tflite_import_var_handle(struct hy_tflite_import *import,
                                         const struct hy_tflite_operator *operator_,
                                         struct hy_graph_node *node)
{
    (void)node;
    const enum hy_code code = hy_tflite_expect_handle_output(import, operator_);
    if (code != HY_OK)
        return code;
    return hy_tflite_variable_of_name(
        &import->file->variables, operator_->options.var_handle.container,
        operator_->options.var_handle.shared_name,
        &import->variables_of[operator_->outputs.values[0]], import->err);
}

static enum hy_code check_handle(const struct hy_tflite_import *import,
                                 const struct hy_tflite_operator *operator_)
{
    const int32_t handle = operator_->inputs.values[0];

    if (hy_tflite_is_handle(import, handle) &&
        !import->file->variables.at[import->variables_of[handle]].is_table)
        return HY_OK;
    return hy_fail(import->err, HY_BAD_DATA, "input 0 is not the handle of a variable");
}

enum hy_code hy_tflite_import_read_variable(struct hy_tflite_import *import,
                                            const struct hy_tflite_operator *operator_,
                                            struct hy_graph_node *node)
{
    struct hy_tflite_contents *contents;

    (void)node;
    enum hy_code code = hy_tflite_count_operands(operator_, 1, 1, import->err);
    if (code == HY_OK)
        code = check_handle(import, operator_);
    if (code != HY_OK)
        return code;
    const uint32_t output = (uint32_t)operator_->outputs.values[0];
    code = hy_tflite_use_variable(import, import->variables_of[operator_->inputs.values[0]],
                                  &import->graph->tensors[import->tensors[output]], &contents);
    if (code == HY_OK)
        import->tensors[output] = contents->now;
    return code;
}

enum hy_code hy_tflite_import_assign_variable(struct hy_tflite_import *import,
                                              const struct hy_tflite_operator *operator_,
                                              struct hy_graph_node *node)
{
    struct hy_tflite_contents *contents;

    (void)node;
    enum hy_code code = hy_tflite_count_operands(operator_, 2, 0, import->err);
    if (code == HY_OK)
        code = check_handle(import, operator_);
    if (code == HY_OK && operator_->inputs.values[1] < 0)
        code = hy_fail(import->err, HY_BAD_DATA, "input 1 is left out");
    if (code != HY_OK)
        return code;
    const uint32_t value = import->tensors[operator_->inputs.values[1]];
    code = hy_tflite_use_variable(import, import->variables_of[operator_->inputs.values[0]],
                                  &import->graph->tensors[value], &contents);
    if (code == HY_OK)
        contents->now = value;
    return code;
}

/* ---- States ---------------------------------------------------------------------------------- */

static bool is_run_by_call_once(const struct hy_tflite_model *model, uint32_t subgraph)
{
    for (uint32_t i = 0; i < model->subgraph_count; i++) {
        const struct hy_tflite_subgraph *from = &model->subgraphs[i];
        for (uint32_t j = 0; j < from->operator_count; j++) {
            if (from->operators[j].code == HY_TFLITE_OP_CALL_ONCE &&
                (uint32_t)from->operators[j].options.call_once.init_subgraph == subgraph)
                return true;
        }
    }
    return false;
}

static bool assigns(const struct hy_tflite_subgraph *subgraph)
{
    for (uint32_t i = 0; i < subgraph->operator_count; i++) {
        if (subgraph->operators[i].code == HY_TFLITE_OP_ASSIGN_VARIABLE)
            return true;
    }
    return false;
}

/* Whether variables only ever hold what CALL_ONCE assigns, whatever signatures are run. */
static bool are_constant(const struct hy_tflite_model *model)
{
    for (uint32_t i = 0; i < model->subgraph_count; i++) {
        if (assigns(&model->subgraphs[i]) && !is_run_by_call_once(model, i))
            return false;
    }
    return true;
}

/* Makes constants of the variables that nothing changes; the others are left. */
static void use_constants(struct hy_tflite_import *import)
{
    struct hy_tflite_used_variables *used = import->used;
    uint32_t retained = 0;

    if (used->count == 0 || !are_constant(import->file->model))
        return;
    for (uint32_t i = 0; i < used->count; i++) {
        const struct hy_tflite_contents *contents = &used->at[i];
        const struct hy_tflite_variable *variable = &import->file->variables.at[contents->variable];
        if (contents->now == contents->before && variable->initial.initial == HY_INITIAL_CONTENTS)
            import->graph->tensors[contents->before] = variable->contents;
        else
            used->at[retained++] = *contents;
    }
    used->count = retained;
}

/* A list of the subgraph with an additional tensor for each used variable. */
static const uint32_t *append(const struct hy_tflite_import *import,
                              const struct hy_tflite_ints *list, bool after)
{
    uint32_t *tensors = hy_tflite_import_list(import, list, import->used->count);
    for (uint32_t i = 0; tensors && i < import->used->count; i++)
        tensors[list->count + i] = after ? import->used->at[i].now : import->used->at[i].before;
    return tensors;
}

enum hy_code hy_tflite_import_states(struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;
    struct hy_graph *graph = import->graph;

    use_constants(import);
    const uint32_t count = import->used->count;
    struct hy_graph_state *states = hy_arena_alloc(&graph->arena, (count + 1) * sizeof *states);
    graph->inputs = append(import, &subgraph->inputs, false);
    graph->outputs = append(import, &subgraph->outputs, true);
    if (!states || !graph->inputs || !graph->outputs)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u states", count);
    for (uint32_t i = 0; i < count; i++)
        states[i] = import->file->variables.at[import->used->at[i].variable].initial;
    graph->input_count = subgraph->inputs.count + count;
    graph->output_count = subgraph->outputs.count + count;
    graph->state_count = count;
    graph->states = states;
    return HY_OK;
}
