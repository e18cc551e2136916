#ifndef HY_LIBHALYARD_GRAPH_INPUT_SHAPE_H
#define HY_LIBHALYARD_GRAPH_INPUT_SHAPE_H

#include "libhalyard/graph/graph.h"

/*
 * Gives input `input` of a network, no state, another shape than the file's, before
 * hy_graph_propagate: shapes and constants that follow from the old shape are gone for good
 * afterwards. Every extent may change, and the rank, as in TensorFlow Lite's ResizeInputTensor,
 * whether the file declares an extent as open or not. HY_UNKNOWN_EXTENT: only a run can tell the
 * extent. Whether operators can do with the shape shows when the graph is lowered.
 *
 * Errors: HY_BAD_DATA, with the input's name, for an input out of range, a rank above
 * HY_GRAPH_MAX_RANK, a negative extent, a shape of more than 2^64 bits. The graph is then
 * unchanged.
 */
HY_MUST_CHECK enum hy_code hy_graph_set_shape(struct hy_graph *graph, uint32_t input, uint32_t rank,
                                              const int32_t *extents, struct hy_error *err);

#endif
