/* Operators that read or change variables. A graph has none of them: the contents of a variable
 * are tensors, one after the other. */
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

enum hy_code hy_tflite_import_variable_tensors(struct hy_tflite_import *import)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < import->subgraph->tensor_count; i++) {
        if (!is_variable(import, i))
            continue;
        code = hy_tflite_variable_of_tensor(import->variables, import->index, i,
                                            import->subgraph->tensors[i].name,
                                            &import->variables_of[i], import->err);
        if (code == HY_OK)
            code = hy_tflite_add_contents(&import->used, import->variables_of[i],
                                          import->tensors[i], import->err);
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

static bool has_variable(const struct hy_tflite_import *import, int32_t tensor)
{
    return tensor >= 0 && import->variables_of[tensor] != HY_TFLITE_NO_VARIABLE;
}

/* The contents of a variable tensor after a node. */
static enum hy_code add_contents_after(struct hy_tflite_import *import, uint32_t tensor,
                                       uint32_t *ret_output)
{
    const struct hy_graph_tensor after = import->graph->tensors[import->tensors[tensor]];
    const enum hy_code code = hy_graph_add_tensor(import->graph, &after, ret_output, import->err);
    if (code == HY_OK) {
        hy_tflite_find_contents(&import->used, import->variables_of[tensor])->now = *ret_output;
        import->tensors[tensor] = *ret_output;
    }
    return code;
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
    uint32_t *outputs = hy_tflite_import_list(import, &operator_->outputs, count);
    if (!outputs)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u states of an operator", count);
    node->outputs = outputs;
    for (uint32_t i = 0; code == HY_OK && i < operator_->inputs.count; i++) {
        if (has_variable(import, operator_->inputs.values[i]))
            code = add_contents_after(import, (uint32_t)operator_->inputs.values[i],
                                      &outputs[node->output_count++]);
    }
    return code;
}

/* ---- States ---------------------------------------------------------------------------------- */

/* `list` with one more tensor for each variable that is used. */
static const uint32_t *append(const struct hy_tflite_import *import,
                              const struct hy_tflite_ints *list, bool after)
{
    uint32_t *tensors = hy_tflite_import_list(import, list, import->used.count);
    for (uint32_t i = 0; tensors && i < import->used.count; i++)
        tensors[list->count + i] = after ? import->used.at[i].now : import->used.at[i].before;
    return tensors;
}

enum hy_code hy_tflite_import_states(struct hy_tflite_import *import)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;
    const uint32_t count = import->used.count;
    struct hy_graph *graph = import->graph;
    struct hy_graph_state *states = hy_arena_alloc(&graph->arena, (count + 1) * sizeof *states);

    graph->inputs = append(import, &subgraph->inputs, false);
    graph->outputs = append(import, &subgraph->outputs, true);
    if (!states || !graph->inputs || !graph->outputs)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "%u states", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_tflite_variable *variable =
            &import->variables->at[import->used.at[i].variable];
        states[i] = (struct hy_graph_state){.initial = variable->initial,
                                            .contents = variable->initial_contents.data};
    }
    graph->input_count = subgraph->inputs.count + count;
    graph->output_count = subgraph->outputs.count + count;
    graph->state_count = count;
    graph->states = states;
    return HY_OK;
}
