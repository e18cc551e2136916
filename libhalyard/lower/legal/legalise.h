#ifndef HY_LIBHALYARD_LOWER_LEGAL_LEGALISE_H
#define HY_LIBHALYARD_LOWER_LEGAL_LEGALISE_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/graph/shapes/shaping.h"

/*
 * Legalisation: a graph becomes a graph of the same tensors whose nodes NNAPI's operations can
 * express. Rules replace a node by several where NNAPI's operation lacks the rank, the element type
 * or the broadcast. The results are the same to the bit.
 *
 * `legal` gets the tensors of `graph` under the same indices, and new ones behind. Tensors of more
 * than four dimensions are stored with four: the leading dimensions are one. Those that are whole,
 * for operations of the extension, keep all. The arena of `legal`
 * has the constants that rules make; data, states and bodies are those of `graph`. A node that no
 * rule replaces stays as it is, for lowering to refuse. Errors: HY_OUT_OF_MEMORY, and
 * HY_BAD_DATA for a node that needs a larger constant than rules make; `legal` is empty then.
 * With `refusals`, such a node is left out instead, and the nodes behind it are legalised. `legal`
 * takes from `budget`, which outlives it; NULL: nothing limits its arena.
 */
struct hy_legal_refusals {
    void (*refuse)(void *context, uint32_t node, const struct hy_error *why);
    void *context;
};
HY_MUST_CHECK enum hy_code hy_legalise(const struct hy_graph *graph, struct hy_budget *budget,
                                       struct hy_graph *legal,
                                       const struct hy_legal_refusals *refusals,
                                       struct hy_error *err);
/* Of a legal graph that has been lowered, the constants that rules made stay, for the operands that
 * refer to them. */
void hy_legalise_keep_constants(struct hy_graph *legal);
void hy_legalise_finish(struct hy_graph *legal);

/*
 * The words of rules. A rule looks at the node in hand and emits other nodes; each emitted node is
 * legalised in turn. The first failure is kept, and from then on every function does nothing and
 * returns tensor 0.
 */
struct hy_legaliser {
    struct hy_graph *graph;           /* the legal graph under construction */
    const struct hy_graph_node *node; /* the node in hand; all its extents are known */
    uint32_t depth;                   /* of emissions within emissions */
    /* Adds an emitted node to the legal graph, or the nodes that rules make of it. */
    void (*legalise)(struct hy_legaliser *legaliser, const struct hy_graph_node *node);
    enum hy_code code;
    struct hy_error *err;
};

/* Dimensions that NNAPI's operations take at most. */
enum { HY_LEGAL_RANK = 4 };

/* Tensors and shapes, by value: a new tensor moves the others. A tensor that is left out has rank 0
 * and no data. */
struct hy_graph_tensor hy_legal_tensor(const struct hy_legaliser *legaliser, uint32_t tensor);
struct hy_graph_tensor hy_legal_input(const struct hy_legaliser *legaliser, uint32_t input);
struct hy_graph_tensor hy_legal_output(const struct hy_legaliser *legaliser, uint32_t output);
struct hy_shape hy_legal_shape_of(const struct hy_graph_tensor *tensor);
bool hy_legal_same_shape(const struct hy_shape *a, const struct hy_shape *b);

/* Elements of a shape; 0 where the number does not fit 31 bits: such a tensor has no NNAPI form. */
int32_t hy_legal_elements(const struct hy_shape *shape);

/* The integers of a constant input of the node in hand; -1 where there are none, or more than
 * `room`. */
int64_t hy_legal_numbers(const struct hy_legaliser *legaliser, uint32_t input, int64_t *numbers,
                         uint32_t room);

/* An axis that may count from the end; false where the axis is beyond the rank. */
bool hy_legal_axis(int64_t axis, uint32_t rank, uint32_t *ret_axis);

/* The input of one integer that names an axis of a tensor of `rank` dimensions. */
bool hy_legal_axis_input(const struct hy_legaliser *legaliser, uint32_t input, uint32_t rank,
                         uint32_t *ret_axis);

/* A shape of at most INT32_MAX elements with three dimensions: those before `axis`, `axis`, those
 * behind. */
struct hy_shape hy_legal_around(const struct hy_shape *shape, uint32_t axis);

/* ---- New tensors ----------------------------------------------------------------------------- */

/* A value between two nodes, of the element and the quantisation of `like`. */
uint32_t hy_legal_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                        const struct hy_shape *shape);

/* Zeroed memory of a constant; NULL after a failure, also where the constant is too large. */
void *hy_legal_memory(struct hy_legaliser *legaliser, uint64_t count, size_t size);

/* A constant of `data`, which lives as long as the graph. */
uint32_t hy_legal_constant(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                           const struct hy_shape *shape, const void *data);

/* A constant all of whose elements are `element`, of the size of an element of `like`. */
uint32_t hy_legal_filled(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                         const struct hy_shape *shape, const void *element);

/* int32: a vector, a copy of `numbers`; a scalar; a tensor of memory that lives as long. */
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

/* The same with a new output like `like`; gives the output. */
uint32_t hy_legal_node(struct hy_legaliser *legaliser, enum hy_operator operator_,
                       const union hy_attributes *attributes, const uint32_t *inputs,
                       uint32_t count, const struct hy_graph_tensor *like,
                       const struct hy_shape *shape);

/* A tensor in another shape; the tensor itself where the shape is its own. */
uint32_t hy_legal_reshape(struct hy_legaliser *legaliser, uint32_t tensor,
                          const struct hy_shape *shape);

/* The same for operations of the extension: a tensor of more than four dimensions that keeps them,
 * its elements those of `tensor`, or to come. */
uint32_t hy_legal_whole(struct hy_legaliser *legaliser, uint32_t tensor,
                        const struct hy_shape *shape);
uint32_t hy_legal_whole_value(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                              const struct hy_shape *shape);

/* Output `output` of the node in hand has the elements of `tensor`. */
void hy_legal_give(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t output);

/* Slices of a tensor along an axis, by a vector of indices. */
uint32_t hy_legal_gather(struct hy_legaliser *legaliser, uint32_t tensor, uint32_t axis,
                         uint32_t indices, int32_t count);

/* A tensor in the shape of a broadcast: RESHAPE and TILE, or a filled constant. The tensor itself
 * where the shape is its own. */
uint32_t hy_legal_broadcast(struct hy_legaliser *legaliser, uint32_t tensor,
                            const struct hy_shape *shape);

#endif
