#ifndef HY_LIBHALYARD_GRAPH_PASSES_INLINE_H
#define HY_LIBHALYARD_GRAPH_PASSES_INLINE_H

#include "libhalyard/graph/graph.h"

/* The branch that an IF with a constant condition runs; NULL for other nodes and conditions. */
struct hy_graph *hy_graph_decided_branch(const struct hy_graph *graph,
                                         const struct hy_graph_node *node);

/* What the tensors of a body are in the graph of the node that runs the body. */
struct hy_inlining {
    uint32_t *tensors; /* tensor of the body -> tensor of the graph */
    uint32_t bodies;   /* what the numbers of bodies grow by */
};

/*
 * Moves the tensors and bodies of the branch of an IF to the graph of the node; the nodes stay. An
 * output of the node that no node of the branch computes becomes a constant, or is another tensor:
 * `ret_same` then has that tensor for the output, else HY_NO_TENSOR. `ret_same` and the numbers are
 * memory of the graph. Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_graph_inline_tensors(struct hy_graph *graph,
                                                   const struct hy_graph_node *node,
                                                   struct hy_graph *branch,
                                                   struct hy_inlining *ret_inlining,
                                                   const uint32_t **ret_same, struct hy_error *err);

/* A node of the branch as a node of the graph. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_inline_node(struct hy_graph *graph,
                                                const struct hy_inlining *inlining,
                                                const struct hy_graph_node *node,
                                                struct hy_graph_node *ret_node,
                                                struct hy_error *err);

#endif
