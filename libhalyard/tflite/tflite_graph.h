#ifndef HY_LIBHALYARD_TFLITE_TFLITE_GRAPH_H
#define HY_LIBHALYARD_TFLITE_TFLITE_GRAPH_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * Converts a subgraph of a `.tflite` file to an empty graph. Tensor i of the file is tensor i of
 * the graph, operator i is node i. An unsupported operator becomes a FOREIGN node. Variables become
 * states: a recurrent operator has an additional output for each variable among its inputs, in the
 * order of the inputs, with the contents after the node. The model outlives the graph.
 *
 * Errors: HY_BAD_DATA: an operator reads an output of a later operator; HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_graph(const struct hy_tflite_model *model, uint32_t subgraph,
                                           struct hy_graph *graph, struct hy_error *err);

#endif
