#include "libhalyard/graph/propagate.h"

#include "libhalyard/graph/fold.h"
#include "libhalyard/graph/shapes.h"

/* One sweep: a shape may follow from numbers that other shapes are folded to. */
enum hy_code hy_graph_propagate(struct hy_graph *graph, struct hy_error *err)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool folded;
        hy_graph_infer_shapes(graph, &graph->nodes[i]);
        const enum hy_code code = hy_graph_fold(graph, &graph->nodes[i], &folded, err);
        if (code != HY_OK)
            return code;
        if (!folded)
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    return HY_OK;
}
