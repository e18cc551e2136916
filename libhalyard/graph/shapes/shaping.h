#ifndef HY_LIBHALYARD_GRAPH_SHAPES_SHAPING_H
#define HY_LIBHALYARD_GRAPH_SHAPES_SHAPING_H

#include "libhalyard/graph/graph.h"

/*
 * The words in which rules tell the shapes of a node's outputs. The first expectation that does not
 * hold clears `fits`; from then on every function does nothing, and the output keeps its shape.
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

void hy_shaping_expect(struct hy_shaping *shaping, bool holds);

/* An input that is left out does not fit; the result is then a tensor of rank 0. */
const struct hy_graph_tensor *hy_shaping_input(struct hy_shaping *shaping, uint32_t index);

/* The shape of an input; an unknown extent does not fit. */
struct hy_shape hy_shaping_shape(struct hy_shaping *shaping, uint32_t index);

/* The same with HY_UNKNOWN_EXTENT where only a run can tell. */
struct hy_shape hy_shaping_open_shape(struct hy_shaping *shaping, uint32_t index);

/* The integers of a constant input, at most as many as a shape has extents; returns their count. */
uint32_t hy_shaping_numbers(struct hy_shaping *shaping, uint32_t index,
                            int64_t numbers[HY_GRAPH_MAX_RANK]);

/* The same of an input some of whose integers only a run can tell: HY_UNKNOWN_NUMBER. */
uint32_t hy_shaping_known_numbers(struct hy_shaping *shaping, uint32_t index,
                                  int64_t numbers[HY_GRAPH_MAX_RANK]);

/* A dimension's place; a negative axis counts from the end. */
uint32_t hy_shaping_axis(struct hy_shaping *shaping, int64_t axis, uint32_t rank);

void hy_shaping_set_extent(struct hy_shaping *shaping, struct hy_shape *shape, uint32_t index,
                           int64_t extent);
void hy_shaping_append(struct hy_shaping *shaping, struct hy_shape *shape, int64_t extent);

/* The number of elements, where an unknown extent counts as 1; a product beyond INT64_MAX does not
 * fit. */
int64_t hy_shaping_elements(struct hy_shaping *shaping, const struct hy_shape *shape);

/* The shape of both after broadcasting. */
struct hy_shape hy_shaping_broadcast(struct hy_shaping *shaping, struct hy_shape a,
                                     struct hy_shape b);

/* Sets the shape of an output, if all expectations held. */
void hy_shaping_give(struct hy_shaping *shaping, uint32_t output, const struct hy_shape *shape);

/* The same without a look at the number of elements. */
void hy_shaping_give_partly(struct hy_shaping *shaping, uint32_t output,
                            const struct hy_shape *shape);

#endif
