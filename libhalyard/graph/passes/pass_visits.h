#ifndef HY_LIBHALYARD_GRAPH_PASSES_PASS_VISITS_H
#define HY_LIBHALYARD_GRAPH_PASSES_PASS_VISITS_H

#include "libhalyard/graph/passes/uses.h"

/*
 * The passes of passes.c that visit one node after the other, each as a hy_node_visit. `context` is
 * a struct hy_common_nodes for the common subexpressions, and unused for other passes.
 */

/* cancel.c: two nodes that move or convert elements become one node, or disappear. */
hy_node_visit hy_cancel_pair;

/* narrow_indices.c: indices of int64 that begin or end as int32 become int32. */
hy_node_visit hy_narrow_indices;

/* identity.c: removes nodes whose output is their input. */
hy_node_visit hy_remove_identity;

/* fuse_pad.c: zeros around the data of a convolution become padding of the convolution. */
hy_node_visit hy_fuse_pad;

/* fuse_batch_norm.c: a factor or summand per channel becomes part of filter and bias. */
hy_node_visit hy_fuse_batch_norm;

/* fuse_activation.c: RELU, RELU1 and RELU6 become the activation of the node before. */
hy_node_visit hy_fuse_activation;

/* common_nodes.c: removes a node with the same computation as an earlier node. */
hy_node_visit hy_merge_common_node;

/* A hash table of visited nodes; the key is operator, attributes and inputs. */
struct hy_common_nodes {
    uint32_t *slots; /* a node, or HY_NO_NODE; open addressing from the slot of the node's hash */
    uint32_t mask;   /* number of slots, a power of 2, less 1 */
};

HY_MUST_CHECK enum hy_code hy_common_nodes_init(struct hy_common_nodes *nodes, uint32_t node_count,
                                                struct hy_error *err);
void hy_common_nodes_finish(struct hy_common_nodes *nodes);

#endif
