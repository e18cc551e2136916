#ifndef HY_LIBHALYARD_TFLITE_TFLITE_CUSTOM_H
#define HY_LIBHALYARD_TFLITE_TFLITE_CUSTOM_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * Custom operators in wide use. Sets operator, attributes and inputs of the node. The node becomes
 * FOREIGN, with a reason, if the name is unknown, or if the name's operator does not support the
 * version or an option; the reason names the option. Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_custom_node(const struct hy_tflite_operator *operator_,
                                                 struct hy_graph *graph, struct hy_graph_node *node,
                                                 struct hy_error *err);

#endif
