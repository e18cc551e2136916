#ifndef HY_LIBHALYARD_GRAPH_STRIDED_SLICE_H
#define HY_LIBHALYARD_GRAPH_STRIDED_SLICE_H

#include "libhalyard/graph/graph.h"

/* The selected elements of a STRIDED_SLICE with a known specification, after the masks were
 * applied. */
struct hy_strided_slice {
    uint32_t rank; /* rank of the input */
    int32_t begin[HY_GRAPH_MAX_RANK];
    int32_t count[HY_GRAPH_MAX_RANK]; /* elements along each dimension of the input */
    int32_t stride[HY_GRAPH_MAX_RANK];
    uint32_t output_rank; /* without the removed dimensions, with the new axes */
    int32_t output_extents[HY_GRAPH_MAX_RANK];
};

/* False if the specification is not constant or does not fit the input. */
bool hy_strided_slice_resolve(const struct hy_graph *graph, const struct hy_graph_node *node,
                              struct hy_strided_slice *out);

#endif
