#ifndef HY_LIBHALYARD_TFLITE_TFLITE_NODE_H
#define HY_LIBHALYARD_TFLITE_TFLITE_NODE_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/* Sets the graph operator and the attributes of a node from the operator of the file: FOREIGN if no
 * graph operator has the same definition. Lists among the attributes are memory of the model. */
void hy_tflite_node_meaning(const struct hy_tflite_operator *operator_, struct hy_graph_node *node);

#endif
