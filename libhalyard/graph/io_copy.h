#ifndef HY_LIBHALYARD_GRAPH_IO_COPY_H
#define HY_LIBHALYARD_GRAPH_IO_COPY_H

#include "libhalyard/graph/graph.h"

/* Copies the inputs and outputs of a graph to an empty graph, without nodes, declared extents of
 * the file and initial values of states. The source graph may be destroyed first. Data of constants
 * are shared. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_copy_io(const struct hy_graph *graph, struct hy_graph *io,
                                            struct hy_error *err);

/* Reduces a graph to its inputs and outputs and drops all bodies; afterwards the graph does not
 * refer to memory of the file reader. The arenas of graph and bodies stay, because an NNAPI model
 * may refer to their constants. Not for graphs with states. Error: HY_OUT_OF_MEMORY, with the graph
 * unchanged.
 */
HY_MUST_CHECK enum hy_code hy_graph_reduce_to_io(struct hy_graph *graph, struct hy_error *err);

#endif
