#ifndef HY_LIBHALYARD_GRAPH_GRAPH_H
#define HY_LIBHALYARD_GRAPH_GRAPH_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "libhalyard/graph/element.h"
#include "libhalyard/graph/operator.h"
#include "libhalyard/graph/sparsity.h"

/*
 * A network independent of file formats: tensors, and nodes in the order of their execution.
 * Readers of file formats make graphs, passes change graphs, lowering makes NNAPI models of graphs.
 *
 * Invariants of every graph that a reader or a pass has returned:
 *  - every tensor index is in range; a node reads no output of a later node;
 *  - a tensor has at most one source: a constant, an input, or the output of one node;
 *  - a node has no effect besides its outputs. A state is an input of the graph, with the contents
 *    before a run, and an output, with the contents after the run;
 *  - a body belongs to one node, and bodies are nested at most HY_GRAPH_MAX_DEPTH deep. The body of
 *    an IF has the inputs of the node after the condition, and the outputs of the node. Condition
 *    and body of a WHILE have the inputs of the node; the condition has one output; the body has
 *    the outputs of the node, which are the first inputs of the next iteration, and the other
 *    inputs stay unchanged;
 *  - a dense constant with elements of fixed size has exactly the bytes of its shape;
 *  - scales are finite and not negative, and as many as zero points: one, or one per slice of
 *    `axis`;
 *  - names are printable.
 */

enum {
    HY_GRAPH_MAX_RANK = 8,
    HY_GRAPH_MAX_DEPTH = 6, /* nesting of bodies */
};

#define HY_NO_TENSOR      UINT32_MAX /* an omitted optional input */
#define HY_UNKNOWN_EXTENT (-1)
#define HY_UNKNOWN_NUMBER INT64_MIN

/* The quantisation of real numbers: real = scale * (stored - zero point). */
struct hy_graph_quantisation {
    /* 0: not quantised; 1: one scale for all elements; else one scale per slice of `axis` */
    uint32_t count;
    uint32_t axis;
    const float *scales;
    const int32_t *zero_points;
};

struct hy_graph_tensor {
    const char *name; /* in the file; "" for a tensor made by a pass */
    enum hy_element element;
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK]; /* HY_UNKNOWN_EXTENT if known only during a run */
    /* the extents in the file, HY_UNKNOWN_EXTENT for each open extent; NULL: all are known */
    const int32_t *signature;
    struct hy_graph_quantisation quantisation;
    /* contents of a constant: any alignment, outlives the graph; else NULL */
    const void *data;
    uint64_t bytes; /* size of `data` */
    /* the known elements of a vector of integers that a run computes, HY_UNKNOWN_NUMBER for each
     * unknown element; NULL: no element is known */
    const int64_t *numbers;
    /* NULL: dense; else `data` has the stored elements only */
    const struct hy_sparsity *sparsity;
    /* in a legal graph: the tensor has all its dimensions; other tensors have at most four */
    bool is_whole;
};

struct hy_graph_node {
    enum hy_operator operator_;
    union hy_attributes attributes;
    uint32_t subgraph;         /* the operator's subgraph in the file */
    uint32_t origin;           /* index of the operator in the subgraph */
    const char *operator_name; /* the operator's name in the file format */
    uint32_t source;           /* of a legal node: the original node before legalisation */
    uint32_t input_count, output_count;
    const uint32_t *inputs; /* tensors; HY_NO_TENSOR: omitted */
    const uint32_t *outputs;
};

/* The contents of a state before the first run. */
enum hy_graph_initial {
    HY_INITIAL_ZEROS,
    HY_INITIAL_CONTENTS, /* constant contents of the file */
    HY_INITIAL_COMPUTED, /* the result of a graph that runs once */
    HY_INITIAL_NONE,     /* no contents: reading the state before the first write is an error */
};

struct hy_graph;

struct hy_graph_state {
    enum hy_graph_initial initial;
    /* for HY_INITIAL_CONTENTS: all bytes of the state's tensor; outlives the graph */
    const void *contents;
    /* for HY_INITIAL_COMPUTED: the contents are output `output` of this body */
    const struct hy_graph *computed_by;
    uint32_t output;
};

struct hy_budget;

struct hy_graph {
    bool relaxed;             /* float32 may be computed with the range and precision of float16 */
    struct hy_arena arena;    /* names, shapes, constants and lists that are not in the file */
    struct hy_budget *budget; /* budget.h; NULL: none */
    uint32_t tensor_count;
    struct hy_graph_tensor *tensors;
    uint32_t node_count;
    struct hy_graph_node *nodes;
    uint32_t input_count, output_count;
    const uint32_t *inputs;
    const uint32_t *outputs;
    /* The last `state_count` inputs and outputs are states: before a run, and after the run. */
    uint32_t state_count;
    const struct hy_graph_state *states;
    /* Graphs that nodes run, owned; the attributes of IF and WHILE have their indices. A body has
     * no states: a state passes through a body as an ordinary input and output. */
    uint32_t body_count;
    struct hy_graph **bodies;
};

/* Makes an empty graph. A graph of zero bytes is also a valid empty graph. */
void hy_graph_init(struct hy_graph *graph);

/* Frees all memory; the graph is empty afterwards. */
void hy_graph_finish(struct hy_graph *graph);

/* Each function appends a copy of its argument, and returns the index. Pointers in the argument
 * outlive the graph (pointers to the graph's arena do). Earlier pointers to tensors and nodes
 * become invalid with the next call. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_add_tensor(struct hy_graph *graph,
                                               const struct hy_graph_tensor *tensor,
                                               uint32_t *ret_index, struct hy_error *err);
HY_MUST_CHECK enum hy_code
hy_graph_add_node(struct hy_graph *graph, const struct hy_graph_node *node, struct hy_error *err);

/* Appends an empty body. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_add_body(struct hy_graph *graph, uint32_t *ret_index,
                                             struct hy_error *err);

/* Moves all bodies of `from` to the end of the graph's bodies. Error: HY_OUT_OF_MEMORY, with both
 * graphs unchanged. */
HY_MUST_CHECK enum hy_code hy_graph_move_bodies(struct hy_graph *graph, struct hy_graph *from,
                                                struct hy_error *err);

/* Number of elements; false if an extent is unknown or the product does not fit. */
bool hy_graph_tensor_elements(const struct hy_graph_tensor *tensor, uint64_t *ret_count);

/* The number of unknown extents. */
uint32_t hy_graph_unknown_extents(const struct hy_graph_tensor *tensor);

/* All extents are known, one of them is 0, and the product of the others fits 64 bits. */
bool hy_graph_tensor_is_empty(const struct hy_graph_tensor *tensor);

/* Equal element types and equal quantisations. */
bool hy_graph_tensor_same_type(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* int32 or int64: NNAPI has fewer operations for these types than for other types. */
bool hy_is_integer(const struct hy_graph_tensor *tensor);

/* uint8 or int8, quantised or not. */
bool hy_is_byte(const struct hy_graph_tensor *tensor);

/* uint8, int8 or int16: the element types with a scale. */
bool hy_has_steps(const struct hy_graph_tensor *tensor);

/* Both tensors have the same single scale and zero point; a tensor without a quantisation counts as
 * 1 and 0. False for a tensor with several scales. */
bool hy_same_quantisation(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* The same rank and extents; an unknown extent equals an unknown extent. */
bool hy_graph_tensor_same_shape(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* Input `index` of a node: a tensor, or HY_NO_TENSOR for an omitted or absent input. */
static inline uint32_t hy_graph_node_input(const struct hy_graph_node *node, uint32_t index)
{
    return index < node->input_count ? node->inputs[index] : HY_NO_TENSOR;
}

/* IF or WHILE. */
static inline bool hy_graph_has_bodies(const struct hy_graph_node *node)
{
    return node->operator_ == HY_OPERATOR_IF || node->operator_ == HY_OPERATOR_WHILE;
}

/* The inputs and outputs of the network itself, before the states. */
static inline uint32_t hy_graph_own_input_count(const struct hy_graph *graph)
{
    return graph->input_count - graph->state_count;
}

static inline uint32_t hy_graph_own_output_count(const struct hy_graph *graph)
{
    return graph->output_count - graph->state_count;
}

#endif
