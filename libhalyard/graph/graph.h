#ifndef HY_LIBHALYARD_GRAPH_GRAPH_H
#define HY_LIBHALYARD_GRAPH_GRAPH_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "libhalyard/graph/element.h"
#include "libhalyard/graph/operator.h"
#include "libhalyard/graph/sparsity.h"

/*
 * A network in the terms of no file format: tensors, and nodes in the order of their execution.
 * Readers of file formats make graphs, passes change graphs, lowering makes NNAPI models of graphs.
 *
 * What holds of every graph that a reader or a pass returned:
 *  - every tensor index is in range; a node reads no tensor that a later node computes;
 *  - a tensor has one source at most: it is a constant, an input, or the output of one node;
 *  - a node has no other effect than its outputs. A state is an input of the graph, which has the
 *    contents before a run, and an output, which has the contents after the run;
 *  - a body is the body of one node, and bodies are nested HY_GRAPH_MAX_DEPTH deep at most. The
 *    body of an IF has the inputs of the node behind the condition, and the outputs of the node.
 *    Condition and body of a WHILE have the inputs of the node; the condition has one output; the
 *    body has the outputs of the node, which are the first inputs of the next iteration, while the
 *    other inputs stay as they are;
 *  - a dense constant with elements of fixed size has exactly the bytes of its shape;
 *  - scales are finite and not negative, as many as zero points: one, or one per slice of `axis`;
 *  - names are printable.
 */

enum {
    HY_GRAPH_MAX_RANK = 8,
    HY_GRAPH_MAX_DEPTH = 6, /* of bodies in bodies */
};

#define HY_NO_TENSOR      UINT32_MAX /* an optional input that is left out */
#define HY_UNKNOWN_EXTENT (-1)
#define HY_UNKNOWN_NUMBER INT64_MIN

/* How real numbers are stored: real = scale * (stored - zero point). */
struct hy_graph_quantisation {
    uint32_t count; /* 0: not quantised; 1: one scale for all; else one per slice of `axis` */
    uint32_t axis;
    const float *scales;
    const int32_t *zero_points;
};

struct hy_graph_tensor {
    const char *name; /* in the file; "" where a pass made the tensor */
    enum hy_element element;
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK]; /* HY_UNKNOWN_EXTENT where only a run can tell */
    const int32_t *signature; /* as many extents as the file declares, HY_UNKNOWN_EXTENT where they
                                 are open; NULL: all are known */
    struct hy_graph_quantisation quantisation;
    const void *data;       /* of a constant: any alignment, outlives the graph; else NULL */
    uint64_t bytes;         /* of `data` */
    const int64_t *numbers; /* of a vector of integers that a run computes: what is known of each;
                               NULL: nothing is */
    const struct hy_sparsity *sparsity; /* NULL: dense; else `data` has what is stored alone */
    bool is_whole; /* of a legal graph: keeps all dimensions, where others have four at most */
};

struct hy_graph_node {
    enum hy_operator operator_;
    union hy_attributes attributes;
    uint32_t subgraph; /* of the file, that the operator is in */
    uint32_t origin;   /* index of the operator in the sub-graph */
    const char *title; /* the operator's name in the file's terms */
    uint32_t source;   /* of a legal node: the node of the graph that was legalised */
    uint32_t input_count, output_count;
    const uint32_t *inputs; /* tensors; HY_NO_TENSOR: left out */
    const uint32_t *outputs;
};

/* What a state holds before the first run. */
enum hy_graph_initial {
    HY_INITIAL_ZEROS,
    HY_INITIAL_CONTENTS, /* of the file */
    HY_INITIAL_COMPUTED, /* what a graph gives that runs once */
    HY_INITIAL_NONE,     /* nothing: a run that reads the state is an error until it is written */
};

struct hy_graph;

struct hy_graph_state {
    enum hy_graph_initial initial;
    const void *contents; /* where `initial` says so: all bytes of the state's tensor; outlives the
                             graph */
    const struct hy_graph *computed_by; /* likewise: output `output` of this body */
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
    /* Graphs that nodes run, owned; IF and WHILE have their numbers. A body has no states: the
     * contents of a state come in and go out as other tensors do. */
    uint32_t body_count;
    struct hy_graph **bodies;
};

/* An empty graph. All zero bytes are one, too. */
void hy_graph_init(struct hy_graph *graph);

/* Gives back all memory; the graph is empty afterwards. */
void hy_graph_finish(struct hy_graph *graph);

/* Each appends a copy of its argument, whose pointers outlive the graph (the arena's do), and gives
 * the index. Pointers to tensors and nodes end with the next call. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_add_tensor(struct hy_graph *graph,
                                               const struct hy_graph_tensor *tensor,
                                               uint32_t *ret_index, struct hy_error *err);
HY_MUST_CHECK enum hy_code
hy_graph_add_node(struct hy_graph *graph, const struct hy_graph_node *node, struct hy_error *err);

/* Appends an empty body. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_add_body(struct hy_graph *graph, uint32_t *ret_index,
                                             struct hy_error *err);

/* Appends the bodies of another graph, which has none afterwards. Error: HY_OUT_OF_MEMORY, and
 * nothing has changed. */
HY_MUST_CHECK enum hy_code hy_graph_move_bodies(struct hy_graph *graph, struct hy_graph *from,
                                                struct hy_error *err);

/* Number of elements; false when an extent is unknown or the product does not fit. */
bool hy_graph_tensor_elements(const struct hy_graph_tensor *tensor, uint64_t *ret_count);

/* How many extents are not known. */
uint32_t hy_graph_unknown_extents(const struct hy_graph_tensor *tensor);

/* All extents are known, one of them is 0, and the product of the others fits 64 bits. */
bool hy_graph_tensor_is_empty(const struct hy_graph_tensor *tensor);

/* The same elements with the same quantisation. */
bool hy_graph_tensor_same_type(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* int32 or int64: NNAPI has fewer operations on these than on other types. */
bool hy_is_integer(const struct hy_graph_tensor *tensor);

/* uint8 or int8, quantised or not. */
bool hy_is_byte(const struct hy_graph_tensor *tensor);

/* The same or int16: the types that have a scale. */
bool hy_has_steps(const struct hy_graph_tensor *tensor);

/* One scale and one zero point for both; a tensor without a quantisation has 1 and 0. False where a
 * tensor has several scales. */
bool hy_same_quantisation(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* The same rank and extents; an unknown extent equals an unknown extent. */
bool hy_graph_tensor_same_shape(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b);

/* Input `index` of a node: a tensor, or HY_NO_TENSOR where the input is left out or not listed. */
static inline uint32_t hy_graph_node_input(const struct hy_graph_node *node, uint32_t index)
{
    return index < node->input_count ? node->inputs[index] : HY_NO_TENSOR;
}

/* IF or WHILE. */
static inline bool hy_graph_has_bodies(const struct hy_graph_node *node)
{
    return node->operator_ == HY_OPERATOR_IF || node->operator_ == HY_OPERATOR_WHILE;
}

/* The inputs and outputs of the network itself, which come before the states. */
static inline uint32_t hy_graph_own_input_count(const struct hy_graph *graph)
{
    return graph->input_count - graph->state_count;
}

static inline uint32_t hy_graph_own_output_count(const struct hy_graph *graph)
{
    return graph->output_count - graph->state_count;
}

#endif
