#ifndef HY_LIBHALYARD_LOWER_LEGAL_LEGALISE_H
#define HY_LIBHALYARD_LOWER_LEGAL_LEGALISE_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/graph/shapes/shaping.h"

/*
 * Legalisation: converts a graph to a graph of the same tensors whose nodes NNAPI's operations can
 * express. A rule replaces a node by several nodes if NNAPI's operation lacks the rank, the element
 * type or the broadcast. The results are the same to the bit.
 *
 * `legal` gets the tensors of `graph` under the same indices, followed by new tensors. Tensors of
 * more than four dimensions are stored with four: the leading dimensions are merged. Tensors with
 * `is_whole`, for operations of the extension, have all dimensions. The arena of `legal` has the
 * constants of the rules; data, states and bodies belong to `graph`. A node without a rule stays
 * unchanged, and lowering refuses it. Errors: HY_OUT_OF_MEMORY; HY_BAD_DATA for a node that needs a
 * larger constant than rules make; `legal` is empty after an error. With `refusals` such a node is
 * omitted instead, and the nodes after it are legalised. `legal` allocates from `budget`, which
 * outlives it; NULL: no limit.
 */
struct hy_legal_refusals {
    void (*refuse)(void *context, uint32_t node, const struct hy_error *why);
    void *context;
};
HY_MUST_CHECK enum hy_code hy_legalise(const struct hy_graph *graph, struct hy_budget *budget,
                                       struct hy_graph *legal,
                                       const struct hy_legal_refusals *refusals,
                                       struct hy_error *err);
/* Frees a legal graph after its lowering, except for the constants of the rules, which operands
 * refer to. */
void hy_legalise_retain_constants(struct hy_graph *legal);
void hy_legalise_finish(struct hy_graph *legal);

/*
 * Helper functions for rules. A rule reads the current node and emits other nodes; each emitted
 * node is legalised in turn. The first failure is saved, and from then on every function does
 * nothing and returns tensor 0.
 */
struct hy_legaliser {
    struct hy_graph *graph;           /* the legal graph under construction */
    const struct hy_graph_node *node; /* the current node; all its extents are known */
    uint32_t depth;                   /* nesting of emissions */
    /* Adds an emitted node, or the nodes of its rule, to the legal graph. */
    void (*legalise)(struct hy_legaliser *legaliser, const struct hy_graph_node *node);
    enum hy_code code;
    struct hy_error *err;
};

/* The largest number of dimensions of NNAPI's operations. */
enum { HY_LEGAL_RANK = 4 };

/* Tensors and shapes, by value: a new tensor moves the others. An omitted tensor has rank 0 and no
 * data. */
struct hy_graph_tensor hy_legal_tensor(const struct hy_legaliser *legaliser, uint32_t tensor);
struct hy_graph_tensor hy_legal_input(const struct hy_legaliser *legaliser, uint32_t input);
struct hy_graph_tensor hy_legal_output(const struct hy_legaliser *legaliser, uint32_t output);
struct hy_shape hy_legal_shape_of(const struct hy_graph_tensor *tensor);
bool hy_legal_same_shape(const struct hy_shape *a, const struct hy_shape *b);

/* Elements of a shape; 0 if the number does not fit 31 bits: the tensor has no NNAPI form. */
int32_t hy_legal_elements(const struct hy_shape *shape);

/* The integers of a constant input of the current node; -1 if the input is no constant of integers,
 * or has more than `capacity` integers. */
int64_t hy_legal_numbers(const struct hy_legaliser *legaliser, uint32_t input, int64_t *numbers,
                         uint32_t capacity);

/* Resolves an axis that may count from the end; false if the axis is beyond the rank. */
bool hy_legal_axis(int64_t axis, uint32_t rank, uint32_t *ret_axis);

/* As hy_legal_axis, for an input of one integer with an axis of a tensor of `rank` dimensions. */
bool hy_legal_axis_input(const struct hy_legaliser *legaliser, uint32_t input, uint32_t rank,
                         uint32_t *ret_axis);

/* A shape of at most INT32_MAX elements as three dimensions: the product of the dimensions before
 * `axis`, `axis`, the product of the dimensions after `axis`. */
struct hy_shape hy_legal_around(const struct hy_shape *shape, uint32_t axis);

/* ---- New tensors ----------------------------------------------------------------------------- */

/* A value between two nodes, with the element type and quantisation of `like`. */
uint32_t hy_legal_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                        const struct hy_shape *shape);

/* Zeroed memory of a constant; NULL after a failure, for example for a constant beyond the
 * limit. */
void *hy_legal_memory(struct hy_legaliser *legaliser, uint64_t count, size_t size);

/* A constant with the contents `data`, which lives as long as the graph. */
uint32_t hy_legal_constant(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                           const struct hy_shape *shape, const void *data);

/* A constant filled with `element`, of the size of an element of `like`. */
uint32_t hy_legal_filled(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                         const struct hy_shape *shape, const void *element);

/* int32: a vector with a copy of `numbers`; a scalar; a tensor with `numbers`, which live as long
 * as the graph. */
uint32_t hy_legal_ints(struct hy_legaliser *legaliser, const int32_t *numbers, uint32_t count);
uint32_t hy_legal_int(struct hy_legaliser *legaliser, int32_t number);
uint32_t hy_legal_int_tensor(struct hy_legaliser *legaliser, const struct hy_shape *shape,
                             const int32_t *numbers);

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Adds a node with one output. `attributes` may be NULL. */
void hy_legal_emit(struct hy_legaliser *legaliser, enum hy_operator operator_,
                   const union hy_attributes *attributes, const uint32_t *inputs, uint32_t count,
                   uint32_t output);
void hy_legal_emit_list(struct hy_legaliser *legaliser, enum hy_operator operator_,
                        const union hy_attributes *attributes, const uint32_t *inputs,
                        uint32_t input_count, const uint32_t *outputs, uint32_t output_count);

/* As hy_legal_emit, with a new output like `like`; returns the output. */
uint32_t hy_legal_node(struct hy_legaliser *legaliser, enum hy_operator operator_,
                       const union hy_attributes *attributes, const uint32_t *inputs,
                       uint32_t count, const struct hy_graph_tensor *like,
                       const struct hy_shape *shape);

/* A tensor in another shape; the tensor itself if the shape is equal. */
uint32_t hy_legal_reshape(struct hy_legaliser *legaliser, uint32_t tensor,
                          const struct hy_shape *shape);

/* For operations of the extension: a tensor of more than four dimensions with all dimensions. The
 * elements are the elements of `tensor`, or the result of a later node. */
uint32_t hy_legal_whole(struct hy_legaliser *legaliser, uint32_t tensor,
                        const struct hy_shape *shape);
uint32_t hy_legal_whole_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                              const struct hy_shape *shape);

/* Makes output `output` of the current node equal to `tensor`. */
void hy_legal_give(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t output);

/* Slices of a tensor along an axis, by a vector of indices. */
uint32_t hy_legal_gather(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t axis,
                         uint32_t indices, int32_t count);

/* A tensor in the shape of a broadcast: RESHAPE and TILE, or a filled constant. The tensor itself
 * if the shape is equal. */
uint32_t hy_legal_broadcast(struct hy_legaliser *legaliser, uint32_t tensor,
                            const struct hy_shape *shape);

#endif
