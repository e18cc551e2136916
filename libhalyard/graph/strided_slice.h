#ifndef HY_LIBHALYARD_GRAPH_STRIDED_SLICE_H
#define HY_LIBHALYARD_GRAPH_STRIDED_SLICE_H

#include "libhalyard/graph/graph.h"

/* A STRIDED_SLICE whose specification is known, without masks: which elements it takes. */
struct hy_strided_slice {
    uint32_t rank; /* of the input */
    int32_t begin[HY_GRAPH_MAX_RANK];
    int32_t count[HY_GRAPH_MAX_RANK]; /* of elements along each dimension of the input */
    int32_t stride[HY_GRAPH_MAX_RANK];
    uint32_t output_rank; /* without the dimensions that shrink, with the new axes */
    int32_t output_extents[HY_GRAPH_MAX_RANK];
};

/* False where the specification is not constant or does not fit the input. */
bool hy_strided_slice_resolve(const struct hy_graph *graph, const struct hy_graph_node *node,
                              struct hy_strided_slice *out);

#endif
