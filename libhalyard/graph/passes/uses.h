#ifndef HY_LIBHALYARD_GRAPH_PASSES_USES_H
#define HY_LIBHALYARD_GRAPH_PASSES_USES_H

#include "libhalyard/graph/graph.h"

/*
 * The producer of each tensor, and the number of its readers: counted once for all passes, and
 * updated by the functions below, which passes use for every change. The time of each function is
 * proportional to the operands of one node, not to the size of the graph.
 *
 * Passes visit nodes in the order of execution. Invariants of every pass:
 *  - inputs and outputs of the graph stay the same tensors;
 *  - a node reads no output of a later node;
 *  - removed nodes stay in the list until hy_uses_finish.
 */
#define HY_NO_NODE UINT32_MAX

struct hy_uses {
    struct hy_graph *graph;
    uint32_t *producers; /* per tensor: the node that computes the tensor; HY_NO_NODE: none */
    /* per tensor: the number of inputs of nodes and outputs of the graph that read the tensor */
    uint32_t *readers;
    uint32_t *replacements; /* per tensor: the tensor that readers read instead */
    bool *is_output;        /* per tensor: an output of the graph */
    uint32_t tensor_capacity;
    bool *removed; /* per node */
};

/* A change of node `node`, whose inputs are up to date. Errors: HY_OUT_OF_MEMORY. */
typedef enum hy_code hy_node_visit(struct hy_uses *uses, uint32_t node, void *context,
                                   struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_uses_init(struct hy_uses *uses, struct hy_graph *graph,
                                        struct hy_error *err);

/* Deletes removed nodes from the graph, and frees the counts. */
void hy_uses_finish(struct hy_uses *uses);

/* Calls `visits` in turn for each node, from first to last, until a visit removes the node. The
 * error text names the node. */
HY_MUST_CHECK enum hy_code hy_uses_visit(struct hy_uses *uses, hy_node_visit *const *visits,
                                         uint32_t visit_count, void *context, struct hy_error *err);

/* ---- Queries --------------------------------------------------------------------------------- */

/* The node that computes input `input` of a node; HY_NO_NODE: a constant, an input of the graph, or
 * an omitted input. */
uint32_t hy_uses_producer(const struct hy_uses *uses, uint32_t node, uint32_t input);

/* As hy_uses_producer, only if the input has no other reader and the producer has no other output:
 * producer and node can be merged. */
uint32_t hy_uses_sole_producer(const struct hy_uses *uses, uint32_t node, uint32_t input);

/* Input or output of a node. An omitted or absent input is a tensor of rank 0, without data and
 * without a numeric type. */
const struct hy_graph_tensor *hy_uses_input(const struct hy_uses *uses, uint32_t node,
                                            uint32_t input);
const struct hy_graph_tensor *hy_uses_output(const struct hy_uses *uses, uint32_t node,
                                             uint32_t output);

/* ---- Changes --------------------------------------------------------------------------------- */

/* Makes `tensor` input `input` of a node, which has more inputs than `input`. */
HY_MUST_CHECK enum hy_code hy_uses_set_input(struct hy_uses *uses, uint32_t node, uint32_t input,
                                             uint32_t tensor, struct hy_error *err);

/* Replaces the list of inputs of a node; the list outlives the graph. */
void hy_uses_set_inputs(struct hy_uses *uses, uint32_t node, uint32_t count,
                        const uint32_t *inputs);

/* Appends a constant. */
HY_MUST_CHECK enum hy_code hy_uses_add_constant(struct hy_uses *uses,
                                                const struct hy_graph_tensor *tensor,
                                                uint32_t *ret_index, struct hy_error *err);

/* Removes a node whose only output equals `tensor`; later nodes read `tensor`. The producer of
 * `tensor` is an earlier node or none. False, without a change, if the output is an output of the
 * graph. */
bool hy_uses_replace(struct hy_uses *uses, uint32_t node, uint32_t tensor);

/* Removes a node whose only output equals input 0. If the output is an output of the graph, the
 * sole producer of the input computes the output; without a sole producer the node stays. */
void hy_uses_bypass(struct hy_uses *uses, uint32_t node);

/* Removes `node` and makes `producer`, its sole producer, compute the outputs of `node`. */
void hy_uses_merge(struct hy_uses *uses, uint32_t producer, uint32_t node);

/* Removes a node without readers of its outputs. */
void hy_uses_remove(struct hy_uses *uses, uint32_t node);

#endif
