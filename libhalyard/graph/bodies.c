#include "libhalyard/graph/bodies.h"

#include "libhalyard/graph/propagate.h"

/* The two bodies of a node, and the first input of theirs among those of the node. */
struct bodies {
    struct hy_graph *at[2];
    uint32_t first;
    uint32_t changing; /* number of leading inputs of the bodies that iterations change */
};

static struct bodies bodies_of(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    const union hy_attributes *attributes = &node->attributes;
    if (node->operator_ == HY_OPERATOR_IF)
        return (struct bodies){.at = {graph->bodies[attributes->branches.then_body],
                                      graph->bodies[attributes->branches.else_body]},
                               .first = 1};
    return (struct bodies){
        .at = {graph->bodies[attributes->loop.condition], graph->bodies[attributes->loop.body]},
        .changing = node->output_count};
}

static bool is_constant(const struct hy_graph_tensor *tensor)
{
    return tensor->data && !tensor->sparsity;
}

/* Removes elements from a list; `goes` covers the elements from `first` on. */
static enum hy_code remove_inputs(struct hy_graph *graph, const uint32_t **list, uint32_t *count,
                                  uint32_t first, const bool *goes, struct hy_error *err)
{
    uint32_t *retained = hy_arena_copy(&graph->arena, *list, *count, sizeof *retained);
    uint32_t next = first;

    if (!retained)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs of a body", *count);
    for (uint32_t i = first; i < *count; i++) {
        if (!goes[i - first])
            retained[next++] = (*list)[i];
    }
    *list = retained;
    *count = next;
    return HY_OK;
}

/* Marks inputs of the bodies that are constants outside, and gives the bodies the constants. */
static uint32_t mark(const struct hy_graph *graph, const struct hy_graph_node *node,
                     const struct bodies *bodies, bool *goes)
{
    uint32_t count = 0;
    for (uint32_t i = bodies->changing; i < bodies->at[0]->input_count; i++) {
        const struct hy_graph_tensor *outside = &graph->tensors[node->inputs[bodies->first + i]];
        goes[i] = is_constant(outside);
        count += goes[i];
        for (int j = 0; goes[i] && j < 2; j++) {
            struct hy_graph_tensor *inside = &bodies->at[j]->tensors[bodies->at[j]->inputs[i]];
            const char *name = inside->name;
            *inside = *outside;
            inside->name = name;
        }
    }
    return count;
}

enum hy_code hy_graph_sink_constants(struct hy_graph *graph, struct hy_graph_node *node,
                                     struct hy_error *err)
{
    const struct bodies bodies = bodies_of(graph, node);
    const uint32_t count = bodies.at[0]->input_count;
    bool *goes = hy_arena_alloc(&graph->arena, (size_t)count + 1);
    enum hy_code code = HY_OK;

    if (!goes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs of a body", count);
    for (uint32_t i = 0; i < count; i++)
        goes[i] = false;
    if (mark(graph, node, &bodies, goes) == 0)
        return HY_OK;
    for (int i = 0; code == HY_OK && i < 2; i++)
        code = remove_inputs(bodies.at[i], &bodies.at[i]->inputs, &bodies.at[i]->input_count, 0,
                             goes, err);
    if (code == HY_OK)
        code = remove_inputs(graph, &node->inputs, &node->input_count, bodies.first, goes, err);
    return code;
}

/* What was computed from a shape of the first iteration alone must not be used in the second. */
static enum hy_code check_iteration(const struct hy_graph *body, struct hy_error *err)
{
    for (uint32_t i = 0; i < body->output_count; i++) {
        const struct hy_graph_tensor *before = &body->tensors[body->inputs[i]];
        const struct hy_graph_tensor *after = &body->tensors[body->outputs[i]];
        bool fits = before->rank == after->rank;
        for (uint32_t j = 0; fits && j < before->rank; j++)
            fits =
                before->extents[j] == after->extents[j] || before->extents[j] == HY_UNKNOWN_EXTENT;
        if (!fits)
            return hy_fail(err, HY_BAD_DATA, "an iteration changes the shape of output %u (%.64s)",
                           i, after->name);
    }
    return HY_OK;
}

enum hy_code hy_graph_propagate_bodies(struct hy_graph *graph, const struct hy_graph_node *node,
                                       struct hy_error *err)
{
    const struct bodies bodies = bodies_of(graph, node);
    enum hy_code code = HY_OK;

    for (int i = 0; code == HY_OK && i < 2; i++)
        code = hy_graph_propagate(bodies.at[i], err);
    if (code == HY_OK && node->operator_ == HY_OPERATOR_WHILE)
        code = check_iteration(bodies.at[1], err);
    return code == HY_OK
               ? HY_OK
               : hy_error_prefix(err, code, "operator %u %s", node->origin, node->operator_name);
}
