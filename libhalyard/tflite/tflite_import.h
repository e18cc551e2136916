#ifndef HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H
#define HY_LIBHALYARD_TFLITE_TFLITE_IMPORT_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/tflite_model.h"
#include "libhalyard/tflite/tflite_variable.h"

/* Shared by the files that make graphs of the subgraphs of a file; no file outside
 * libhalyard/tflite/ includes this header. */

/* State shared by the imports of all subgraphs of one file. */
struct hy_tflite_import_file {
    const struct hy_tflite_model *model;
    struct hy_tflite_variables variables;
    bool *is_initialised; /* per subgraph: a CALL_ONCE has been imported */
    bool is_named;        /* the error text has the name of an operator or subgraph */
    uint64_t capacity;    /* tensors and operators that may still be imported */
};

/* The import of one subgraph into one graph. */
struct hy_tflite_import {
    struct hy_tflite_import_file *file;
    /* the import whose operator runs the subgraph; NULL: none */
    const struct hy_tflite_import *outer;
    uint32_t index; /* index of the subgraph */
    const struct hy_tflite_subgraph *subgraph;
    struct hy_graph *graph;
    struct hy_tflite_used_variables *used; /* variables that the graph uses */
    /* tensor of the file -> tensor of the graph with the current contents */
    uint32_t *tensors;
    /* tensor of the file -> variable that the tensor refers to */
    uint32_t *variables_of;
    bool *later; /* per tensor of the file: a later operator computes the tensor */
    struct hy_error *err;
};

/* ---- tflite_graph.c -------------------------------------------------------------------------- */

/*
 * Adds the tensors, and then the operators. Members up to `used` are set by the caller, the others
 * are zero. Between the two calls a caller may map inputs. The import must be finished also after a
 * failure. Errors: HY_BAD_DATA: invalid operators, a subgraph that runs itself, or too many
 * tensors; HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_import_tensors(struct hy_tflite_import *import);
HY_MUST_CHECK enum hy_code hy_tflite_import_operators(struct hy_tflite_import *import);
void hy_tflite_import_finish(struct hy_tflite_import *import);

/* Tensors of a list of the file as tensors of the graph, with space for `more` elements; NULL when
 * memory has run out. An omitted tensor stays HY_NO_TENSOR. */
uint32_t *hy_tflite_import_list(const struct hy_tflite_import *import,
                                const struct hy_tflite_ints *list, uint32_t more);

/* An operator that does not directly become a node; `node` has its index and name. */
typedef enum hy_code hy_tflite_import_operator(struct hy_tflite_import *import,
                                               const struct hy_tflite_operator *operator_,
                                               struct hy_graph_node *node);

/* ---- tflite_handle.c ------------------------------------------------------------------------- */

/* True if a tensor of the file is the handle of a variable or table; a graph has no tensor for a
 * handle. */
bool hy_tflite_is_handle(const struct hy_tflite_import *import, int32_t tensor);

/* HY_BAD_DATA unless an operator has exactly `inputs` inputs and `outputs` outputs. */
HY_MUST_CHECK enum hy_code hy_tflite_count_operands(const struct hy_tflite_operator *operator_,
                                                    uint32_t inputs, uint32_t outputs,
                                                    struct hy_error *err);

/* HY_BAD_DATA unless an operator has no inputs and one output, a resource. */
HY_MUST_CHECK enum hy_code
hy_tflite_expect_handle_output(const struct hy_tflite_import *import,
                               const struct hy_tflite_operator *operator_);

/* ---- tflite_state.c -------------------------------------------------------------------------- */

/* Makes a variable of each variable tensor of the subgraph. */
HY_MUST_CHECK enum hy_code hy_tflite_import_variable_tensors(struct hy_tflite_import *import);

/* Gives a node of a recurrent operator an additional output for each variable among the inputs, in
 * the order of the inputs: the contents after the node. */
HY_MUST_CHECK enum hy_code hy_tflite_import_recurrent(struct hy_tflite_import *import,
                                                      const struct hy_tflite_operator *operator_,
                                                      struct hy_graph_node *node);

/* The contents of a variable. At the first use the graph gets a tensor of the type of `like`. The
 * pointer is valid until the next use of a variable. Error: HY_OUT_OF_MEMORY. */
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

/* Imports subgraph `subgraph` instead of an operator; the operator's inputs from `first` on are the
 * inputs of the subgraph. */
HY_MUST_CHECK enum hy_code hy_tflite_import_inline(struct hy_tflite_import *import,
                                                   uint32_t subgraph,
                                                   const struct hy_tflite_operator *operator_,
                                                   uint32_t first);

/* Checks that a subgraph fits an operator, which has at least `first` inputs and whose inputs from
 * `first` on are the subgraph's, and maps the handles among the inputs. */
HY_MUST_CHECK enum hy_code hy_tflite_import_connect(struct hy_tflite_import *inner,
                                                    const struct hy_tflite_operator *operator_,
                                                    uint32_t first, uint32_t output_count);

/* Maps the handles among the outputs of an operator. HY_BAD_DATA: an output is a handle in the
 * subgraph and refers to no variable. */
HY_MUST_CHECK enum hy_code
hy_tflite_import_handles_back(struct hy_tflite_import *import, const struct hy_tflite_import *inner,
                              const struct hy_tflite_operator *operator_);

/* ---- tflite_table.c -------------------------------------------------------------------------- */

hy_tflite_import_operator hy_tflite_import_hashtable;
hy_tflite_import_operator hy_tflite_import_hashtable_find;
hy_tflite_import_operator hy_tflite_import_hashtable_import;
hy_tflite_import_operator hy_tflite_import_hashtable_size;

/* ---- tflite_pairs.c -------------------------------------------------------------------------- */

/* Bytes of a blob without a text: the size of an input of texts before a caller sets the size. */
enum { HY_TFLITE_NO_TEXTS = 8 };

/* Sets the shape of a tensor of texts or complex numbers in a graph. Other tensors stay
 * unchanged. */
HY_MUST_CHECK enum hy_code hy_tflite_shape_pairs(const struct hy_tflite_tensor *from,
                                                 struct hy_graph *graph,
                                                 struct hy_graph_tensor *tensor,
                                                 struct hy_error *err);

/* Imports an operator with operands of texts or complex numbers. */
hy_tflite_import_operator hy_tflite_import_pairs;

/* ---- tflite_flow.c --------------------------------------------------------------------------- */

hy_tflite_import_operator hy_tflite_import_if;
hy_tflite_import_operator hy_tflite_import_while;

#endif
