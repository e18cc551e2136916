#include "libhalyard/graph/propagate.h"

#include "libhalyard/graph/bodies.h"
#include "libhalyard/graph/fold.h"
#include "libhalyard/graph/shapes.h"

static enum hy_code propagate_node(struct hy_graph *graph, const struct hy_graph_node *node,
                                   bool *ret_folded, struct hy_error *err)
{
    hy_graph_infer_shapes(graph, node);
    return hy_graph_fold(graph, node, ret_folded, err);
}

/* What bodies are told of their inputs, and what they tell of their outputs. */
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

/* One sweep: a shape may follow from numbers that other shapes are folded to. */
enum hy_code hy_graph_propagate(struct hy_graph *graph, struct hy_error *err)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool folded = false;
        const enum hy_code code = hy_graph_has_bodies(&graph->nodes[i])
                                      ? propagate_into(graph, &graph->nodes[i], err)
                                      : propagate_node(graph, &graph->nodes[i], &folded, err);
        if (code != HY_OK)
            return code;
        if (!folded)
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    return HY_OK;
}
