/* IF and WHILE. The contents of variables pass into and out of a body like other tensors; operands
 * that a WHILE does not change are no outputs of its body. */
#include "libhalyard/tflite/tflite_import.h"

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* A sub-graph on its way into a body of a graph. */
struct body {
    struct hy_tflite_import import;
    struct hy_tflite_used_variables used;
    uint32_t index; /* among the bodies */
};

static uint32_t depth_of(const struct hy_tflite_import *import)
{
    uint32_t depth = 0;
    for (; import->outer; import = import->outer)
        depth += import->graph != import->outer->graph;
    return depth;
}

/* Imports a subgraph whose inputs are the operator's inputs from `first` on. */
static enum hy_code import_body(struct hy_tflite_import *import, int32_t subgraph,
                                const struct hy_tflite_operator *operator_, uint32_t first,
                                uint32_t output_count, struct body *body)
{
    if (depth_of(import) == HY_GRAPH_MAX_DEPTH)
        return hy_fail(import->err, HY_BAD_DATA, "IF and WHILE are nested more than %d deep",
                       HY_GRAPH_MAX_DEPTH);
    enum hy_code code = hy_graph_add_body(import->graph, &body->index, import->err);
    if (code != HY_OK)
        return code;
    body->import = (struct hy_tflite_import){
        .file = import->file,
        .outer = import,
        .index = (uint32_t)subgraph,
        .subgraph = &import->file->model->subgraphs[subgraph],
        .graph = import->graph->bodies[body->index],
        .used = &body->used,
        .err = import->err,
    };
    code = hy_tflite_import_tensors(&body->import);
    if (code == HY_OK)
        code = hy_tflite_import_connect(&body->import, operator_, first, output_count);
    if (code == HY_OK)
        code = hy_tflite_import_operators(&body->import);
    return code;
}

static void finish_body(struct body *body)
{
    hy_tflite_import_finish(&body->import);
    hy_tflite_used_variables_finish(&body->used);
}

/* Makes a body use all variables that another uses. */
static enum hy_code use_as(struct body *body, const struct body *other)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < other->used.count; i++) {
        const struct hy_tflite_contents *contents = &other->used.at[i];
        struct hy_tflite_contents *same;
        code = hy_tflite_use_variable(&body->import, contents->variable,
                                      &other->import.graph->tensors[contents->before], &same);
    }
    return code;
}

static bool assigns(const struct body *body, uint32_t variable)
{
    const struct hy_tflite_contents *contents = hy_tflite_find_contents(&body->used, variable);
    return contents->now != contents->before;
}

/* A list of tensors of a graph while it grows. */
struct list {
    uint32_t count;
    uint32_t *tensors;
};

static void append(struct list *list, uint32_t tensor)
{
    list->tensors[list->count++] = tensor;
}

static enum hy_code make_list(struct hy_graph *graph, size_t capacity, struct list *list,
                              struct hy_error *err)
{
    list->count = 0;
    list->tensors = hy_arena_alloc(&graph->arena, (capacity + 1) * sizeof *list->tensors);
    return list->tensors ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "%zu operands", capacity);
}

static void set_inputs(struct hy_graph *graph, const struct list *list)
{
    graph->inputs = list->tensors;
    graph->input_count = list->count;
}

static void set_outputs(struct hy_graph *graph, const struct list *list)
{
    graph->outputs = list->tensors;
    graph->output_count = list->count;
}

/* The contents of a variable after a node, in the graph of the node. */
static enum hy_code add_contents_after(struct hy_tflite_import *import, uint32_t variable,
                                       uint32_t *ret_tensor)
{
    struct hy_tflite_contents *contents = hy_tflite_find_contents(import->used, variable);
    struct hy_graph_tensor after = import->graph->tensors[contents->now];

    after.data = NULL;
    after.bytes = 0;
    const enum hy_code code = hy_graph_add_tensor(import->graph, &after, ret_tensor, import->err);
    if (code == HY_OK)
        contents->now = *ret_tensor;
    return code;
}

/* ---- IF -------------------------------------------------------------------------------------- */

/* The lists of a node, and of its two bodies. */
struct lists {
    struct list inputs[3], outputs[3]; /* of the graph of the node, of one body, of the other */
};

static enum hy_code make_lists(struct hy_tflite_import *import, struct body bodies[2],
                               const struct hy_tflite_operator *operator_, struct lists *lists)
{
    const size_t more = bodies[0].used.count;
    enum hy_code code = HY_OK;

    for (int i = 0; code == HY_OK && i < 3; i++) {
        struct hy_graph *graph = i == 0 ? import->graph : bodies[i - 1].import.graph;
        code = make_list(graph, operator_->inputs.count + more, &lists->inputs[i], import->err);
        if (code == HY_OK)
            code =
                make_list(graph, operator_->outputs.count + more, &lists->outputs[i], import->err);
    }
    return code;
}

static void append_three(struct list lists[3], uint32_t outside, uint32_t one, uint32_t other)
{
    append(&lists[0], outside);
    append(&lists[1], one);
    append(&lists[2], other);
}

/* Tensors of the file, without handles. */
static enum hy_code list_branch_operands(struct hy_tflite_import *import, struct body bodies[2],
                                         const struct hy_tflite_operator *operator_,
                                         struct lists *lists)
{
    const struct hy_tflite_import *one = &bodies[0].import, *other = &bodies[1].import;

    append(&lists->inputs[0], import->tensors[operator_->inputs.values[0]]);
    for (uint32_t i = 1; i < operator_->inputs.count; i++) {
        if (!hy_tflite_is_handle(import, operator_->inputs.values[i]))
            append_three(lists->inputs, import->tensors[operator_->inputs.values[i]],
                         one->tensors[one->subgraph->inputs.values[i - 1]],
                         other->tensors[other->subgraph->inputs.values[i - 1]]);
    }
    for (uint32_t i = 0; i < operator_->outputs.count; i++) {
        const int32_t first = one->subgraph->outputs.values[i];
        const int32_t second = other->subgraph->outputs.values[i];
        if (hy_tflite_is_handle(one, first) != hy_tflite_is_handle(other, second))
            return hy_fail(import->err, HY_BAD_DATA,
                           "output %u is a variable in only one of the branches", i);
        if (!hy_tflite_is_handle(one, first))
            append_three(lists->outputs, import->tensors[operator_->outputs.values[i]],
                         one->tensors[first], other->tensors[second]);
    }
    return HY_OK;
}

/* Lists an additional input for each variable, and an additional output for each variable that a
 * branch assigns. */
static enum hy_code list_branch_variables(struct hy_tflite_import *import, struct body bodies[2],
                                          struct lists *lists)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < bodies[0].used.count; i++) {
        const struct hy_tflite_contents one = bodies[0].used.at[i];
        const struct hy_tflite_contents *other =
            hy_tflite_find_contents(&bodies[1].used, one.variable);
        struct hy_tflite_contents *outside;
        uint32_t after;
        code = hy_tflite_use_variable(import, one.variable,
                                      &bodies[0].import.graph->tensors[one.before], &outside);
        if (code != HY_OK)
            break;
        append_three(lists->inputs, outside->now, one.before, other->before);
        if (!assigns(&bodies[0], one.variable) && !assigns(&bodies[1], one.variable))
            continue;
        code = add_contents_after(import, one.variable, &after);
        if (code == HY_OK)
            append_three(lists->outputs, after, one.now, other->now);
    }
    return code;
}

static enum hy_code add_branches(struct hy_tflite_import *import,
                                 const struct hy_tflite_operator *operator_, struct body bodies[2],
                                 struct hy_graph_node *node)
{
    struct lists lists;
    enum hy_code code = use_as(&bodies[0], &bodies[1]);
    if (code == HY_OK)
        code = use_as(&bodies[1], &bodies[0]);
    if (code == HY_OK)
        code = make_lists(import, bodies, operator_, &lists);
    if (code == HY_OK)
        code = list_branch_operands(import, bodies, operator_, &lists);
    if (code == HY_OK)
        code = list_branch_variables(import, bodies, &lists);
    for (int i = 0; code == HY_OK && i < 2; i++) {
        set_inputs(bodies[i].import.graph, &lists.inputs[i + 1]);
        set_outputs(bodies[i].import.graph, &lists.outputs[i + 1]);
        code = hy_tflite_import_handles_back(import, &bodies[i].import, operator_);
    }
    if (code != HY_OK || lists.outputs[0].count == 0)
        return code;
    node->operator_ = HY_OPERATOR_IF;
    node->attributes.branches.then_body = bodies[0].index;
    node->attributes.branches.else_body = bodies[1].index;
    node->inputs = lists.inputs[0].tensors;
    node->input_count = lists.inputs[0].count;
    node->outputs = lists.outputs[0].tensors;
    node->output_count = lists.outputs[0].count;
    return hy_graph_add_node(import->graph, node, import->err);
}

enum hy_code hy_tflite_import_if(struct hy_tflite_import *import,
                                 const struct hy_tflite_operator *operator_,
                                 struct hy_graph_node *node)
{
    const int32_t subgraphs[2] = {operator_->options.if_.then_subgraph,
                                  operator_->options.if_.else_subgraph};
    struct body bodies[2] = {0};

    if (operator_->inputs.count == 0 || operator_->inputs.values[0] < 0)
        return hy_fail(import->err, HY_BAD_DATA, "input 0 is left out");
    const struct hy_graph_tensor *condition =
        &import->graph->tensors[import->tensors[operator_->inputs.values[0]]];
    if (condition->data && condition->element == HY_ELEMENT_BOOL && condition->bytes == 1)
        return hy_tflite_import_inline(
            import, (uint32_t)subgraphs[*(const uint8_t *)condition->data ? 0 : 1], operator_, 1);

    enum hy_code code = HY_OK;
    for (int i = 0; code == HY_OK && i < 2; i++)
        code =
            import_body(import, subgraphs[i], operator_, 1, operator_->outputs.count, &bodies[i]);
    if (code == HY_OK)
        code = add_branches(import, operator_, bodies, node);
    finish_body(&bodies[0]);
    finish_body(&bodies[1]);
    return code;
}

/* ---- WHILE ----------------------------------------------------------------------------------- */

enum { CONDITION, BODY };

/* True if the body does not change input `index` of the operator. */
static bool stays(const struct body bodies[2], uint32_t index)
{
    const struct hy_tflite_import *body = &bodies[BODY].import;
    return body->tensors[body->subgraph->inputs.values[index]] ==
           body->tensors[body->subgraph->outputs.values[index]];
}

/* A handle that the body gives back must be the same, as all iterations have one graph. */
static enum hy_code check_handles(const struct hy_tflite_import *import,
                                  const struct body bodies[2],
                                  const struct hy_tflite_operator *operator_)
{
    const struct hy_tflite_import *body = &bodies[BODY].import;

    for (uint32_t i = 0; i < operator_->inputs.count; i++) {
        const int32_t input = operator_->inputs.values[i];
        const int32_t output = body->subgraph->outputs.values[i];
        if (hy_tflite_is_handle(import, input) != hy_tflite_is_handle(body, output) ||
            (hy_tflite_is_handle(import, input) &&
             import->variables_of[input] != body->variables_of[output]))
            return hy_fail(import->err, HY_BAD_DATA, "input %u becomes another variable", i);
    }
    return HY_OK;
}

/* Lists the tensors of the file that the body changes, or the unchanged tensors. */
static void list_loop_operands(struct hy_tflite_import *import, struct body bodies[2],
                               const struct hy_tflite_operator *operator_, bool that_stay,
                               struct lists *lists)
{
    const struct hy_tflite_import *condition = &bodies[CONDITION].import;
    const struct hy_tflite_import *body = &bodies[BODY].import;

    for (uint32_t i = 0; i < operator_->inputs.count; i++) {
        const uint32_t input = import->tensors[operator_->inputs.values[i]];
        const int32_t output = operator_->outputs.values[i];
        if (hy_tflite_is_handle(import, operator_->inputs.values[i]) ||
            stays(bodies, i) != that_stay)
            continue;
        append_three(lists->inputs, input,
                     condition->tensors[condition->subgraph->inputs.values[i]],
                     body->tensors[body->subgraph->inputs.values[i]]);
        if (that_stay) {
            import->tensors[output] = input;
            continue;
        }
        append(&lists->outputs[0], import->tensors[output]);
        append(&lists->outputs[2], body->tensors[body->subgraph->outputs.values[i]]);
    }
}

static enum hy_code list_loop_variables(struct hy_tflite_import *import, struct body bodies[2],
                                        bool that_stay, struct lists *lists)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < bodies[BODY].used.count; i++) {
        const struct hy_tflite_contents body = bodies[BODY].used.at[i];
        struct hy_tflite_contents *outside;
        uint32_t after;
        if (assigns(&bodies[CONDITION], body.variable))
            return hy_fail(import->err, HY_BAD_DATA, "the condition assigns a variable");
        if (assigns(&bodies[BODY], body.variable) == that_stay)
            continue;
        code = hy_tflite_use_variable(import, body.variable,
                                      &bodies[BODY].import.graph->tensors[body.before], &outside);
        if (code != HY_OK)
            break;
        append_three(lists->inputs, outside->now,
                     hy_tflite_find_contents(&bodies[CONDITION].used, body.variable)->before,
                     body.before);
        if (that_stay)
            continue;
        code = add_contents_after(import, body.variable, &after);
        append(&lists->outputs[0], after);
        append(&lists->outputs[2], body.now);
    }
    return code;
}

/* Changed operands come before unchanged operands. */
static enum hy_code list_loop(struct hy_tflite_import *import,
                              const struct hy_tflite_operator *operator_, struct body bodies[2],
                              struct lists *lists)
{
    const struct hy_tflite_import *condition = &bodies[CONDITION].import;
    enum hy_code code = make_lists(import, bodies, operator_, lists);

    for (int that_stay = 0; code == HY_OK && that_stay < 2; that_stay++) {
        list_loop_operands(import, bodies, operator_, that_stay, lists);
        code = list_loop_variables(import, bodies, that_stay, lists);
    }
    if (code == HY_OK)
        append(&lists->outputs[1], condition->tensors[condition->subgraph->outputs.values[0]]);
    return code;
}

static enum hy_code add_loop(struct hy_tflite_import *import,
                             const struct hy_tflite_operator *operator_, struct body bodies[2],
                             struct hy_graph_node *node)
{
    struct lists lists;
    enum hy_code code = use_as(&bodies[0], &bodies[1]);
    if (code == HY_OK)
        code = use_as(&bodies[1], &bodies[0]);
    if (code == HY_OK)
        code = check_handles(import, bodies, operator_);
    if (code == HY_OK)
        code = hy_tflite_import_handles_back(import, &bodies[BODY].import, operator_);
    if (code == HY_OK)
        code = list_loop(import, operator_, bodies, &lists);
    for (int i = 0; code == HY_OK && i < 2; i++) {
        set_inputs(bodies[i].import.graph, &lists.inputs[i + 1]);
        set_outputs(bodies[i].import.graph, &lists.outputs[i + 1]);
    }
    if (code != HY_OK || lists.outputs[0].count == 0)
        return code;
    node->operator_ = HY_OPERATOR_WHILE;
    node->attributes.loop.condition = bodies[CONDITION].index;
    node->attributes.loop.body = bodies[BODY].index;
    node->inputs = lists.inputs[0].tensors;
    node->input_count = lists.inputs[0].count;
    node->outputs = lists.outputs[0].tensors;
    node->output_count = lists.outputs[0].count;
    return hy_graph_add_node(import->graph, node, import->err);
}

enum hy_code hy_tflite_import_while(struct hy_tflite_import *import,
                                    const struct hy_tflite_operator *operator_,
                                    struct hy_graph_node *node)
{
    struct body bodies[2] = {0};

    if (operator_->outputs.count != operator_->inputs.count)
        return hy_fail(import->err, HY_BAD_DATA, "%u outputs of %u inputs",
                       operator_->outputs.count, operator_->inputs.count);
    enum hy_code code = import_body(import, operator_->options.while_.cond_subgraph, operator_, 0,
                                    1, &bodies[CONDITION]);
    if (code == HY_OK)
        code = import_body(import, operator_->options.while_.body_subgraph, operator_, 0,
                           operator_->inputs.count, &bodies[BODY]);
    if (code == HY_OK)
        code = add_loop(import, operator_, bodies, node);
    finish_body(&bodies[CONDITION]);
    finish_body(&bodies[BODY]);
    return code;
}
