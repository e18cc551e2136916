#ifndef HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H
#define HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"
#include "libhalyard/tflite/tflite_variable.h"

/* Shared by the files that make graphs of the sub-graphs of a file; nothing outside
 * libhalyard/tflite/ includes this. */

/* What the imports of all sub-graphs of one file have in common. */
struct hy_tflite_import_file {
    const struct hy_tflite_model *model;
    struct hy_tflite_variables variables;
    bool *is_initialised; /* sub-graph: a CALL_ONCE has been imported */
    bool is_named;        /* the failure has the name of an operator or sub-graph */
    uint64_t room;        /* tensors and operators that may still be imported */
};

/* One sub-graph on its way into one graph. */
struct hy_tflite_import {
    struct hy_tflite_import_file *file;
    const struct hy_tflite_import *outer; /* whose operator runs the sub-graph; NULL: none */
    uint32_t index;                       /* of the sub-graph */
    const struct hy_tflite_subgraph *subgraph;
    struct hy_graph *graph;
    struct hy_tflite_used_variables *used; /* by the graph */
    uint32_t *tensors; /* tensor of the file -> tensor of the graph that has the contents now */
    uint32_t *variables_of; /* tensor of the file -> variable that the tensor stands for */
    bool *later;            /* tensor of the file: a later operator computes the tensor */
    struct hy_error *err;
};

/* ---- tflite_graph.c -------------------------------------------------------------------------- */

/*
 * An import whose members up to `used` are set and whose others are zero: adds the tensors, then
 * the operators. Between the two calls a caller may say what inputs stand for. The import is
 * finished after a failure, too. Errors: HY_BAD_DATA for what the operators cannot be, for a
 * sub-graph that runs itself and for too many tensors; HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_import_tensors(struct hy_tflite_import *import);
HY_MUST_CHECK enum hy_code hy_tflite_import_operators(struct hy_tflite_import *import);
void hy_tflite_import_finish(struct hy_tflite_import *import);

/* Tensors of a list of the file as tensors of the graph, with room for `more`; NULL when memory has
 * run out. A tensor that is left out stays HY_NO_TENSOR. */
uint32_t *hy_tflite_import_list(const struct hy_tflite_import *import,
                                const struct hy_tflite_ints *list, uint32_t more);

/* An operator that is no node by itself; in `node` are the number and the name. */
typedef enum hy_code hy_tflite_import_operator(struct hy_tflite_import *import,
                                               const struct hy_tflite_operator *operator_,
                                               struct hy_graph_node *node);

/* ---- tflite_handle.c ------------------------------------------------------------------------- */

/* Whether a tensor of the file is the handle of a variable or table, which a graph has no tensor
 * for. */
bool hy_tflite_is_handle(const struct hy_tflite_import *import, int32_t tensor);

/* HY_BAD_DATA unless an operator has so many inputs and outputs. */
HY_MUST_CHECK enum hy_code hy_tflite_count_operands(const struct hy_tflite_operator *operator_,
                                                    uint32_t inputs, uint32_t outputs,
                                                    struct hy_error *err);

/* HY_BAD_DATA unless an operator has no inputs and one output, a resource. */
HY_MUST_CHECK enum hy_code
hy_tflite_expect_handle_output(const struct hy_tflite_import *import,
                               const struct hy_tflite_operator *operator_);

/* ---- tflite_state.c -------------------------------------------------------------------------- */

/* Makes a variable of each variable tensor of the sub-graph. */
HY_MUST_CHECK enum hy_code hy_tflite_import_variable_tensors(struct hy_tflite_import *import);

/* Gives a node of a recurrent operator one more output for each variable among the inputs, in the
 * order of the inputs: the contents after the node. */
HY_MUST_CHECK enum hy_code hy_tflite_import_recurrent(struct hy_tflite_import *import,
                                                      const struct hy_tflite_operator *operator_,
                                                      struct hy_graph_node *node);

/* The contents of a variable, of which the graph gets a tensor of the type of `like` at the first
 * use. The pointer ends with the next use. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_tflite_use_variable(struct hy_tflite_import *import,
                                                  uint32_t variable,
                                                  const struct hy_graph_tensor *like,
                                                  struct hy_tflite_contents **ret_contents);

hy_tflite_import_operator hy_tflite_import_var_handle;
hy_tflite_import_operator hy_tflite_import_read_variable;
hy_tflite_import_operator hy_tflite_import_assign_variable;

/* Sets inputs and outputs of the graph, with states for the variables that the graph uses. */
HY_MUST_CHECK enum hy_code hy_tflite_import_states(struct hy_tflite_import *import);

/* ---- tflite_call.c --------------------------------------------------------------------------- */

hy_tflite_import_operator hy_tflite_import_call;
hy_tflite_import_operator hy_tflite_import_call_once;

/* Imports sub-graph `subgraph` in the place of an operator, whose inputs from `first` on are the
 * sub-graph's. */
HY_MUST_CHECK enum hy_code hy_tflite_import_inline(struct hy_tflite_import *import,
                                                   uint32_t subgraph,
                                                   const struct hy_tflite_operator *operator_,
                                                   uint32_t first);

/* Whether a sub-graph fits an operator, which has `first` inputs at least and whose inputs from
 * `first` on are the sub-graph's, and what handles among the inputs stand for. */
HY_MUST_CHECK enum hy_code hy_tflite_import_connect(struct hy_tflite_import *inner,
                                                    const struct hy_tflite_operator *operator_,
                                                    uint32_t first, uint32_t output_count);

/* What handles among the outputs of an operator stand for. HY_BAD_DATA: an output is a handle in
 * the sub-graph and stands for nothing there. */
HY_MUST_CHECK enum hy_code
hy_tflite_import_handles_back(struct hy_tflite_import *import, const struct hy_tflite_import *inner,
                              const struct hy_tflite_operator *operator_);

/* ---- tflite_table.c -------------------------------------------------------------------------- */

hy_tflite_import_operator hy_tflite_import_hashtable;
hy_tflite_import_operator hy_tflite_import_hashtable_find;
hy_tflite_import_operator hy_tflite_import_hashtable_import;
hy_tflite_import_operator hy_tflite_import_hashtable_size;

/* ---- tflite_pairs.c -------------------------------------------------------------------------- */

/* Bytes of a blob without a text: what an input of texts has before a caller gives its size. */
enum { HY_TFLITE_NO_TEXTS = 8 };

/* The shape that a tensor of texts or complex numbers has in a graph. Other tensors stay. */
HY_MUST_CHECK enum hy_code hy_tflite_shape_pairs(const struct hy_tflite_tensor *from,
                                                 struct hy_graph *graph,
                                                 struct hy_graph_tensor *tensor,
                                                 struct hy_error *err);

/* What a node means that has such operands. */
hy_tflite_import_operator hy_tflite_import_pairs;

/* ---- tflite_flow.c --------------------------------------------------------------------------- */

hy_tflite_import_operator hy_tflite_import_if;
hy_tflite_import_operator hy_tflite_import_while;

#endif
