#ifndef HY_LIBHALYARD_GRAPH_INPUT_SHAPE_H
#define HY_LIBHALYARD_GRAPH_INPUT_SHAPE_H

#include "libhalyard/graph/graph.h"

/*
 * Sets the shape of input `input` of a network, before hy_graph_propagate: propagation replaces
 * nodes by constants of the old shape irreversibly. The input must not be a state. Every extent may
 * change, and the rank, as in TensorFlow Lite's ResizeInputTensor, for open and for fixed extents
 * of the file. HY_UNKNOWN_EXTENT: the extent is known only during a run. Lowering checks whether
 * the operators support the shape.
 *
 * Errors: HY_BAD_DATA, with the input's name, for an input out of range, a rank above
 * HY_GRAPH_MAX_RANK, a negative extent, or a shape of more than 2^64 bits. The graph is unchanged
 * after an error.
 */
HY_MUST_CHECK enum hy_code hy_graph_set_shape(struct hy_graph *graph, uint32_t input, uint32_t rank,
                                              const int32_t *extents, struct hy_error *err);

#endif
