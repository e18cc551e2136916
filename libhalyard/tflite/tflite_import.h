#ifndef HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H
#define HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"
#include "libhalyard/tflite/tflite_variable.h"

/* Shared by the files that make a graph of a sub-graph of a file; nothing outside
 * libhalyard/tflite/ includes this. */

/* One sub-graph on its way into one graph. */
struct hy_tflite_import {
    const struct hy_tflite_model *model;
    uint32_t index; /* of the sub-graph */
    const struct hy_tflite_subgraph *subgraph;
    struct hy_graph *graph;
    struct hy_tflite_variables *variables; /* of all sub-graphs */
    struct hy_tflite_used_variables used;  /* by this graph */
    uint32_t *tensors; /* tensor of the file -> tensor of the graph that has the contents now */
    uint32_t *variables_of; /* tensor of the file -> variable that the tensor stands for */
    bool *later;            /* tensor of the file: a later operator computes the tensor */
    struct hy_error *err;
};

/* Tensors of a list of the file as tensors of the graph, with room for `more`; NULL when memory has
 * run out. A tensor that is left out stays HY_NO_TENSOR. */
uint32_t *hy_tflite_import_list(const struct hy_tflite_import *import,
                                const struct hy_tflite_ints *list, uint32_t more);

/* ---- tflite_state.c -------------------------------------------------------------------------- */

/* Makes a variable of each variable tensor of the sub-graph. */
HY_MUST_CHECK enum hy_code hy_tflite_import_variable_tensors(struct hy_tflite_import *import);

/* Gives a node of a recurrent operator one more output for each variable among the inputs, in the
 * order of the inputs: the contents after the node. */
HY_MUST_CHECK enum hy_code hy_tflite_import_recurrent(struct hy_tflite_import *import,
                                                      const struct hy_tflite_operator *operator_,
                                                      struct hy_graph_node *node);

/* Makes states of the variables that the graph uses, after all operators. */
HY_MUST_CHECK enum hy_code hy_tflite_import_states(struct hy_tflite_import *import);

#endif
