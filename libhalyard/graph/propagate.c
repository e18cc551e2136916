#include "libhalyard/graph/propagate.h"

#include <stdlib.h>

#include "libhalyard/graph/bodies.h"
#include "libhalyard/graph/fold/fold.h"
#include "libhalyard/graph/fold/known_numbers.h"
#include "libhalyard/graph/passes/inline.h"
#include "libhalyard/graph/shapes/shapes.h"

/* A sweep over a graph; the nodes are added again one by one. */
struct propagation {
    struct hy_graph *graph;
    uint32_t *same; /* tensor -> tensor to read instead, HY_NO_TENSOR: none; NULL: none at all */
    uint32_t same_count;
    struct hy_error *err;
};

/* ---- Tensors that are other tensors ---------------------------------------------------------- */

static enum hy_code mark_same(struct propagation *propagation, uint32_t tensor, uint32_t as)
{
    const uint32_t count = propagation->graph->tensor_count;
    if (!propagation->same || propagation->same_count < count) {
        uint32_t *grown = realloc(propagation->same, count * sizeof *grown);
        if (!grown)
            return hy_fail(propagation->err, HY_OUT_OF_MEMORY, "%u tensors", count);
        for (uint32_t i = propagation->same_count; i < count; i++)
            grown[i] = HY_NO_TENSOR;
        propagation->same = grown;
        propagation->same_count = count;
    }
    propagation->same[tensor] = as;
    return HY_OK;
}

static bool is_same(const struct propagation *propagation, uint32_t tensor)
{
    return tensor < propagation->same_count && propagation->same[tensor] != HY_NO_TENSOR;
}

/* A list with the tensors to read instead; a list without any stays. */
static enum hy_code read_instead(struct propagation *propagation, const uint32_t **list,
                                 uint32_t count)
{
    uint32_t *changed = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_same(propagation, (*list)[i]))
            continue;
        if (!changed) {
            changed = hy_arena_copy(&propagation->graph->arena, *list, count, sizeof *changed);
            if (!changed)
                return hy_fail(propagation->err, HY_OUT_OF_MEMORY, "%u operands", count);
            *list = changed;
        }
        changed[i] = propagation->same[changed[i]];
    }
    return HY_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Passes shapes of inputs to bodies, and shapes of their outputs back. */
static enum hy_code propagate_into(struct hy_graph *graph, struct hy_graph_node *node,
                                   struct hy_error *err)
{
    enum hy_code code = hy_graph_sink_constants(graph, node, err);
    if (code != HY_OK)
        return code;
    hy_graph_infer_shapes(graph, node);
    code = hy_graph_propagate_bodies(graph, node, err);
    if (code == HY_OK)
        hy_graph_infer_shapes(graph, node);
    return code;
}

static enum hy_code add_nodes(struct propagation *propagation, const struct hy_graph_node *nodes,
                              uint32_t count, const struct hy_inlining *inlining);

/* Adds the nodes of a branch instead of an IF. */
static enum hy_code add_branch(struct propagation *propagation, const struct hy_graph_node *node,
                               struct hy_graph *branch)
{
    struct hy_inlining inlining;
    const uint32_t *same;
    enum hy_code code = hy_graph_inline_tensors(propagation->graph, node, branch, &inlining, &same,
                                                propagation->err);
    for (uint32_t i = 0; code == HY_OK && i < node->output_count; i++) {
        if (same[i] != HY_NO_TENSOR)
            code = mark_same(propagation, node->outputs[i], same[i]);
    }
    return code == HY_OK ? add_nodes(propagation, branch->nodes, branch->node_count, &inlining)
                         : code;
}

static enum hy_code add_node(struct propagation *propagation, struct hy_graph_node node)
{
    struct hy_graph *graph = propagation->graph;
    bool folded = false;
    enum hy_code code = read_instead(propagation, &node.inputs, node.input_count);
    if (code != HY_OK)
        return code;
    struct hy_graph *branch = hy_graph_decided_branch(graph, &node);
    if (branch)
        return add_branch(propagation, &node, branch);
    if (hy_graph_has_bodies(&node)) {
        code = propagate_into(graph, &node, propagation->err);
    } else {
        hy_graph_infer_shapes(graph, &node);
        code = hy_graph_fold(graph, &node, &folded, propagation->err);
        if (code == HY_OK && !folded)
            code = hy_graph_know_numbers(graph, &node, propagation->err);
    }
    return code == HY_OK && !folded ? hy_graph_add_node(graph, &node, propagation->err) : code;
}

static enum hy_code add_nodes(struct propagation *propagation, const struct hy_graph_node *nodes,
                              uint32_t count, const struct hy_inlining *inlining)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        struct hy_graph_node node = nodes[i];
        if (inlining)
            code = hy_graph_inline_node(propagation->graph, inlining, &nodes[i], &node,
                                        propagation->err);
        if (code == HY_OK)
            code = add_node(propagation, node);
    }
    return code;
}

/* A single sweep, because a shape may depend on numbers that were folded from other shapes. */
enum hy_code hy_graph_propagate(struct hy_graph *graph, struct hy_error *err)
{
    struct propagation propagation = {.graph = graph, .err = err};
    struct hy_graph_node *nodes = graph->nodes;
    const uint32_t count = graph->node_count;

    graph->nodes = NULL;
    graph->node_count = 0;
    enum hy_code code = add_nodes(&propagation, nodes, count, NULL);
    if (code == HY_OK)
        code = read_instead(&propagation, &graph->outputs, graph->output_count);
    free(propagation.same);
    free(nodes);
    return code;
}
