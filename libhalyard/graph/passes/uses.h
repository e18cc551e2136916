#ifndef HY_LIBHALYARD_GRAPH_PASSES_USES_H
#define HY_LIBHALYARD_GRAPH_PASSES_USES_H

#include "libhalyard/graph/graph.h"

/*
 * Which node computes a tensor, and how often a tensor is read: counted once for all passes, and
 * kept current by the functions below, through which passes change a graph. Each function takes
 * time in the operands of one node, not in the size of the graph.
 *
 * Passes visit nodes in the order of execution. What a pass leaves:
 *  - inputs and outputs of the graph stay the same tensors;
 *  - a node reads no tensor that a later node computes;
 *  - removed nodes keep their place until hy_uses_finish.
 */
#define HY_NO_NODE UINT32_MAX

struct hy_uses {
    struct hy_graph *graph;
    uint32_t *producers;    /* node that computes a tensor; HY_NO_NODE: none does */
    uint32_t *readers;      /* inputs of nodes and outputs of the graph that are this tensor */
    uint32_t *replacements; /* tensor that is read in place of this one */
    bool *is_output;        /* of the graph */
    uint32_t tensor_room;
    bool *removed; /* per node */
};

/* A change of node `node`, whose inputs are up to date. Errors: HY_OUT_OF_MEMORY. */
typedef enum hy_code hy_node_visit(struct hy_uses *uses, uint32_t node, void *context,
                                   struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_uses_init(struct hy_uses *uses, struct hy_graph *graph,
                                        struct hy_error *err);

/* Takes removed nodes out of the graph and frees the counts. */
void hy_uses_finish(struct hy_uses *uses);

/* Calls `visits` in turn for each node, from first to last, until a visit removes the node. The
 * words of a failure name the node. */
HY_MUST_CHECK enum hy_code hy_uses_visit(struct hy_uses *uses, hy_node_visit *const *visits,
                                         uint32_t visit_count, void *context, struct hy_error *err);

/* ---- Questions ------------------------------------------------------------------------------- */

/* The node that computes input `input` of a node; HY_NO_NODE: a constant, an input of the graph,
 * an input that is left out. */
uint32_t hy_uses_producer(const struct hy_uses *uses, uint32_t node, uint32_t input);

/* The same, where nothing else reads the input and the producer has no other output: producer and
 * node may become one. */
uint32_t hy_uses_sole_producer(const struct hy_uses *uses, uint32_t node, uint32_t input);

/* Input or output of a node. An input that is left out or not listed is a tensor of rank 0, without
 * data and of no type with numbers. */
const struct hy_graph_tensor *hy_uses_input(const struct hy_uses *uses, uint32_t node,
                                            uint32_t input);
const struct hy_graph_tensor *hy_uses_output(const struct hy_uses *uses, uint32_t node,
                                             uint32_t output);

/* ---- Changes --------------------------------------------------------------------------------- */

/* Makes `tensor` input `input` of a node, which has more inputs than `input`. */
HY_MUST_CHECK enum hy_code hy_uses_set_input(struct hy_uses *uses, uint32_t node, uint32_t input,
                                             uint32_t tensor, struct hy_error *err);

/* Gives a node another list of inputs, which outlives the graph. */
void hy_uses_set_inputs(struct hy_uses *uses, uint32_t node, uint32_t count,
                        const uint32_t *inputs);

/* Appends a constant. */
HY_MUST_CHECK enum hy_code hy_uses_add_constant(struct hy_uses *uses,
                                                const struct hy_graph_tensor *tensor,
                                                uint32_t *ret_index, struct hy_error *err);

/* Removes a node whose only output equals `tensor`, which an earlier node computes or nothing does;
 * later nodes read `tensor`. False, and nothing is done, where the output is the graph's. */
bool hy_uses_replace(struct hy_uses *uses, uint32_t node, uint32_t tensor);

/* Removes a node whose only output equals input 0. Where the output is the graph's, the sole
 * producer of the input computes the output; without a sole producer the node stays. */
void hy_uses_bypass(struct hy_uses *uses, uint32_t node);

/* Removes `node`, whose outputs `producer` computes from now on; `producer` is its sole producer.
 */
void hy_uses_merge(struct hy_uses *uses, uint32_t producer, uint32_t node);

/* Removes a node whose outputs nothing reads. */
void hy_uses_remove(struct hy_uses *uses, uint32_t node);

#endif
