#ifndef HY_LIBHALYARD_GRAPH_SHAPES_SHAPING_H
#define HY_LIBHALYARD_GRAPH_SHAPES_SHAPING_H

#include "libhalyard/graph/graph.h"

/*
 * Helper functions for rules that infer the shapes of a node's outputs. The first failed
 * expectation clears `fits`; from then on every function does nothing, and the output keeps its
 * shape.
 */
struct hy_shape {
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK];
};

struct hy_shaping {
    struct hy_graph *graph;
    const struct hy_graph_node *node;
    bool fits;
};

static inline void hy_shaping_expect(struct hy_shaping *shaping, bool holds)
{
    shaping->fits = shaping->fits && holds;
}

/* An omitted input clears `fits`; the result is a tensor of rank 0. */
const struct hy_graph_tensor *hy_shaping_input(struct hy_shaping *shaping, uint32_t index);

/* The shape of an input; an unknown extent clears `fits`. */
struct hy_shape hy_shaping_shape(struct hy_shaping *shaping, uint32_t index);

/* As hy_shaping_shape, with HY_UNKNOWN_EXTENT for unknown extents. */
struct hy_shape hy_shaping_open_shape(struct hy_shaping *shaping, uint32_t index);

/* The integers of a constant input, at most HY_GRAPH_MAX_RANK; returns the count. */
uint32_t hy_shaping_numbers(struct hy_shaping *shaping, uint32_t index,
                            int64_t numbers[HY_GRAPH_MAX_RANK]);

/* As hy_shaping_numbers, with HY_UNKNOWN_NUMBER for integers that are known only during a run. */
uint32_t hy_shaping_known_numbers(struct hy_shaping *shaping, uint32_t index,
                                  int64_t numbers[HY_GRAPH_MAX_RANK]);

/* The index of a dimension; a negative axis counts from the end. */
uint32_t hy_shaping_axis(struct hy_shaping *shaping, int64_t axis, uint32_t rank);

void hy_shaping_set_extent(struct hy_shaping *shaping, struct hy_shape *shape, uint32_t index,
                           int64_t extent);
void hy_shaping_append(struct hy_shaping *shaping, struct hy_shape *shape, int64_t extent);

/* The number of elements; an unknown extent counts as 1; a product beyond INT64_MAX clears
 * `fits`. */
int64_t hy_shaping_elements(struct hy_shaping *shaping, const struct hy_shape *shape);

/* The shape of both after broadcasting. */
struct hy_shape hy_shaping_broadcast(struct hy_shaping *shaping, struct hy_shape a,
                                     struct hy_shape b);

/* Sets the shape of an output if all expectations held. */
void hy_shaping_give(struct hy_shaping *shaping, uint32_t output, const struct hy_shape *shape);

/* As hy_shaping_give, without a check of the number of elements. */
void hy_shaping_give_partly(struct hy_shaping *shaping, uint32_t output,
                            const struct hy_shape *shape);

#endif
