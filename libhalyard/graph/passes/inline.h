#ifndef HY_LIBHALYARD_GRAPH_PASSES_INLINE_H
#define HY_LIBHALYARD_GRAPH_PASSES_INLINE_H

#include "libhalyard/graph/graph.h"

/* The branch of an IF with a constant condition; NULL for other nodes and conditions. */
struct hy_graph *hy_graph_decided_branch(const struct hy_graph *graph,
                                         const struct hy_graph_node *node);

/* The mapping of a body's tensors to the graph of the body's node. */
struct hy_inlining {
    uint32_t *tensors; /* tensor of the body -> tensor of the graph */
    uint32_t bodies;   /* offset to add to the indices of bodies */
};

/*
 * Moves the tensors and bodies of a branch of an IF to the graph of the node; the nodes stay in the
 * branch. An output that no node of the branch computes becomes a constant, or equals another
 * tensor: ret_same[output] is the equal tensor, else HY_NO_TENSOR. `ret_same` and the mapping are
 * memory of the graph. Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_graph_inline_tensors(struct hy_graph *graph,
                                                   const struct hy_graph_node *node,
                                                   struct hy_graph *branch,
                                                   struct hy_inlining *ret_inlining,
                                                   const uint32_t **ret_same, struct hy_error *err);

/* Converts a node of the branch to a node of the graph. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_inline_node(struct hy_graph *graph,
                                                const struct hy_inlining *inlining,
                                                const struct hy_graph_node *node,
                                                struct hy_graph_node *ret_node,
                                                struct hy_error *err);

#endif
