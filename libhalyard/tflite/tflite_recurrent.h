#ifndef HY_LIBHALYARD_TFLITE_TFLITE_RECURRENT_H
#define HY_LIBHALYARD_TFLITE_TFLITE_RECURRENT_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/* Completes the attributes of an LSTM by the scales of the operator's intermediate tensors, which
 * are tensors of `subgraph`. Nodes of other operators stay as they are. */
void hy_tflite_set_intermediates(const struct hy_tflite_subgraph *subgraph,
                                 const struct hy_tflite_operator *operator_,
                                 struct hy_graph_node *node);

#endif
