#ifndef HY_LIBHALYARD_GRAPH_IO_COPY_H
#define HY_LIBHALYARD_GRAPH_IO_COPY_H

#include "libhalyard/graph/graph.h"

/* Makes an empty graph one of the inputs and outputs of another, which may end first: without
 * nodes, without the extents that the file declares, and without what states hold at first. Data of
 * constants are shared. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_copy_io(const struct hy_graph *graph, struct hy_graph *io,
                                            struct hy_error *err);

/* The same in the graph's own place, and of bodies nothing: nothing refers to the memory of the
 * graph's reader any more. What the graph's arenas and those of bodies hold stays: an NNAPI model
 * may refer to constants there. A graph with states cannot be used so. Error: HY_OUT_OF_MEMORY, and
 * nothing has changed. */
HY_MUST_CHECK enum hy_code hy_graph_keep_io(struct hy_graph *graph, struct hy_error *err);

#endif
