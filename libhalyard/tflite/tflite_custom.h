#ifndef HY_LIBHALYARD_TFLITE_TFLITE_CUSTOM_H
#define HY_LIBHALYARD_TFLITE_TFLITE_CUSTOM_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * Custom operators of files that are in wide use. Sets operator, attributes and inputs of the node;
 * FOREIGN where the name is not known, or where version or options are none of the name's, with
 * words that name the option. Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_custom_node(const struct hy_tflite_operator *operator_,
                                                 struct hy_graph *graph, struct hy_graph_node *node,
                                                 struct hy_error *err);

#endif
