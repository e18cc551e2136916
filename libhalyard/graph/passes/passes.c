#include "libhalyard/graph/passes/passes.h"

#include "libhalyard/graph/passes/dead_nodes.h"
#include "libhalyard/graph/passes/pass_visits.h"
#include "libhalyard/graph/propagate.h"

/*
 * The order of the passes. Cancelling comes first, because it makes fusable nodes adjacent. A node
 * is compared with earlier nodes after its inputs have been cancelled and merged. Fusing comes
 * last: a tensor with two readers cannot be fused, and merging may reduce two readers to one.
 * Within a sweep all visits run on a node before the next node.
 */
static hy_node_visit *const cancel_and_merge[] = {hy_cancel_pair, hy_narrow_indices,
                                                  hy_remove_identity, hy_merge_common_node};
static hy_node_visit *const fuse[] = {hy_fuse_pad, hy_fuse_batch_norm, hy_fuse_activation};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static enum hy_code sweep(struct hy_uses *uses, struct hy_error *err)
{
    struct hy_common_nodes nodes;

    enum hy_code code = hy_common_nodes_init(&nodes, uses->graph->node_count, err);
    if (code != HY_OK)
        return code;
    code = hy_uses_visit(uses, cancel_and_merge, COUNT(cancel_and_merge), &nodes, err);
    hy_common_nodes_finish(&nodes);
    if (code == HY_OK) {
        hy_remove_dead_nodes(uses); /* readers of the two nodes that cancel each other */
        code = hy_uses_visit(uses, fuse, COUNT(fuse), NULL, err);
    }
    if (code == HY_OK)
        hy_remove_dead_nodes(uses);
    return code;
}

/* A graph and its bodies, which nest HY_GRAPH_MAX_DEPTH deep at most. */
static enum hy_code sweep_all(struct hy_graph *graph, struct hy_error *err)
{
    struct hy_uses uses;

    enum hy_code code = hy_uses_init(&uses, graph, err);
    if (code != HY_OK)
        return code;
    code = sweep(&uses, err);
    hy_uses_finish(&uses);
    for (uint32_t i = 0; code == HY_OK && i < graph->body_count; i++)
        code = sweep_all(graph->bodies[i], err);
    return code;
}

enum hy_code hy_graph_run_passes(struct hy_graph *graph, struct hy_error *err)
{
    const enum hy_code code = hy_graph_propagate(graph, err);
    return code == HY_OK ? sweep_all(graph, err) : code;
}
