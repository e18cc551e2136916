#include "libhalyard/graph/passes/inline.h"

#include <string.h>

struct hy_graph *hy_graph_decided_branch(const struct hy_graph *graph,
                                         const struct hy_graph_node *node)
{
    if (node->operator_ != HY_OPERATOR_IF)
        return NULL;
    const struct hy_graph_tensor *condition = &graph->tensors[node->inputs[0]];
    if (!condition->data || condition->element != HY_ELEMENT_BOOL || condition->bytes != 1)
        return NULL;
    const struct hy_attributes_branches *branches = &node->attributes.branches;
    return graph
        ->bodies[*(const uint8_t *)condition->data ? branches->then_body : branches->else_body];
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static enum hy_code copy_tensors(struct hy_graph *graph, const struct hy_graph *branch,
                                 uint32_t *tensors, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < branch->tensor_count; i++)
        code = hy_graph_add_tensor(graph, &branch->tensors[i], &tensors[i], err);
    return code;
}

/* What the branch computes for an output of the node is the output. */
static void become_output(struct hy_graph *graph, const struct hy_graph_tensor *computed,
                          uint32_t output)
{
    struct hy_graph_tensor *tensor = &graph->tensors[output];
    const char *name = tensor->name;
    *tensor = *computed;
    tensor->name = name;
}

/* `is_given`: tensors of the branch that no node of the branch computes, or that are an output of
 * the node already. */
static void connect_outputs(struct hy_graph *graph, const struct hy_graph_node *node,
                            const struct hy_graph *branch, uint32_t *tensors, bool *is_given,
                            uint32_t *same)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t inside = branch->outputs[i];
        same[i] = HY_NO_TENSOR;
        if (is_given[inside] && !branch->tensors[inside].data) {
            same[i] = tensors[inside];
            continue;
        }
        become_output(graph, &branch->tensors[inside], node->outputs[i]);
        if (branch->tensors[inside].data)
            continue;
        tensors[inside] = node->outputs[i];
        is_given[inside] = true;
    }
}

enum hy_code hy_graph_inline_tensors(struct hy_graph *graph, const struct hy_graph_node *node,
                                     struct hy_graph *branch, struct hy_inlining *ret_inlining,
                                     const uint32_t **ret_same, struct hy_error *err)
{
    const size_t count = (size_t)branch->tensor_count + 1;
    uint32_t *tensors = hy_arena_alloc(&graph->arena, count * sizeof *tensors);
    bool *is_given = hy_arena_alloc(&graph->arena, count);
    uint32_t *same = hy_arena_alloc(&graph->arena, ((size_t)node->output_count + 1) * sizeof *same);
    if (!tensors || !is_given || !same)
        return hy_fail(err, HY_OUT_OF_MEMORY, "branch of %zu tensors", count);

    ret_inlining->tensors = tensors;
    ret_inlining->bodies = graph->body_count;
    *ret_same = same;
    enum hy_code code = copy_tensors(graph, branch, tensors, err);
    if (code == HY_OK)
        code = hy_graph_move_bodies(graph, branch, err);
    if (code != HY_OK)
        return code;
    memset(is_given, 0, count);
    for (uint32_t i = 0; i < branch->input_count; i++) {
        tensors[branch->inputs[i]] = node->inputs[i + 1];
        is_given[branch->inputs[i]] = true;
    }
    connect_outputs(graph, node, branch, tensors, is_given, same);
    return HY_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static enum hy_code translate(struct hy_graph *graph, const struct hy_inlining *inlining,
                              const uint32_t **list, uint32_t count, struct hy_error *err)
{
    uint32_t *tensors = hy_arena_copy(&graph->arena, *list, count, sizeof *tensors);
    if (!tensors)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u operands", count);
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i] != HY_NO_TENSOR)
            tensors[i] = inlining->tensors[tensors[i]];
    }
    *list = tensors;
    return HY_OK;
}

enum hy_code hy_graph_inline_node(struct hy_graph *graph, const struct hy_inlining *inlining,
                                  const struct hy_graph_node *node, struct hy_graph_node *ret_node,
                                  struct hy_error *err)
{
    *ret_node = *node;
    enum hy_code code = translate(graph, inlining, &ret_node->inputs, node->input_count, err);
    if (code == HY_OK)
        code = translate(graph, inlining, &ret_node->outputs, node->output_count, err);
    if (node->operator_ == HY_OPERATOR_IF) {
        ret_node->attributes.branches.then_body += inlining->bodies;
        ret_node->attributes.branches.else_body += inlining->bodies;
    } else if (node->operator_ == HY_OPERATOR_WHILE) {
        ret_node->attributes.loop.condition += inlining->bodies;
        ret_node->attributes.loop.body += inlining->bodies;
    }
    return code;
}
