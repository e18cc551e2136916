#include "libhalyard/graph/passes/dead_nodes.h"

static bool is_read(const struct hy_uses *uses, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (uses->readers[node->outputs[i]] > 0)
            return true;
    }
    return false;
}

/* From the last node to the first: readers are removed before their producers. */
void hy_remove_dead_nodes(struct hy_uses *uses)
{
    for (uint32_t i = uses->graph->node_count; i-- > 0;) {
        const struct hy_graph_node *node = &uses->graph->nodes[i];
        if (!uses->removed[i] && !is_read(uses, node) && node->operator_ != HY_OPERATOR_FOREIGN)
            hy_uses_remove(uses, i);
    }
}

enum hy_code hy_graph_remove_dead_nodes(struct hy_graph *graph, struct hy_error *err)
{
    struct hy_uses uses;

    const enum hy_code code = hy_uses_init(&uses, graph, err);
    if (code != HY_OK)
        return code;
    hy_remove_dead_nodes(&uses);
    hy_uses_finish(&uses);
    return HY_OK;
}
