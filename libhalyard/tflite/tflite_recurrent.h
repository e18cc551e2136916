#ifndef HY_LIBHALYARD_TFLITE_TFLITE_RECURRENT_H
#define HY_LIBHALYARD_TFLITE_TFLITE_RECURRENT_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/* Adds the scales of the operator's intermediate tensors, which are tensors of `subgraph`, to the
 * attributes of an LSTM. Nodes of other operators stay unchanged. */
void hy_tflite_set_intermediates(const struct hy_tflite_subgraph *subgraph,
                                 const struct hy_tflite_operator *operator_,
                                 struct hy_graph_node *node);

#endif
