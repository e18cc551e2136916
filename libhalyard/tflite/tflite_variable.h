#ifndef HY_LIBHALYARD_TFLITE_TFLITE_VARIABLE_H
#define HY_LIBHALYARD_TFLITE_TFLITE_VARIABLE_H

#include "libhalyard/graph/graph.h"

/*
 * The variables of a file: resources, with a name that all subgraphs share; tables, with a number;
 * and the variable tensors of recurrent operators, each of which belongs to a subgraph. A graph has
 * no variables. The contents of a variable are a sequence of tensors: first an input of the graph,
 * later the results of operators.
 */
enum { HY_TFLITE_MAX_VARIABLES = 4096 };

#define HY_TFLITE_NO_VARIABLE UINT32_MAX

struct hy_tflite_variable {
    const char *name;
    const char *container; /* container of a resource; NULL: a variable tensor */
    uint32_t subgraph, tensor;
    struct hy_graph_state initial;
    /* type, and data if any, of the contents that CALL_ONCE assigns; the values of a table */
    struct hy_graph_tensor contents;
    bool is_table;               /* a table of keys and values, which is no state */
    int32_t table;               /* the table's number, shared by all subgraphs */
    struct hy_graph_tensor keys; /* ascending; without data before an import */
    uint32_t row_count;
};

/* The variables of one import, of all subgraphs. */
struct hy_tflite_variables {
    uint32_t count;
    struct hy_tflite_variable *at;
};

void hy_tflite_variables_finish(struct hy_tflite_variables *variables);

/* Each function finds a variable, or adds a new variable. Names outlive the table. Errors:
 * HY_BAD_DATA for too many variables, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_tflite_variable_of_name(struct hy_tflite_variables *variables,
                                                      const char *container, const char *name,
                                                      uint32_t *ret_variable, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_tflite_variable_of_tensor(struct hy_tflite_variables *variables,
                                                        uint32_t subgraph, uint32_t tensor,
                                                        const char *name, uint32_t *ret_variable,
                                                        struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_tflite_variable_of_table(struct hy_tflite_variables *variables,
                                                       int32_t table, uint32_t *ret_variable,
                                                       struct hy_error *err);

/* The contents of a variable in one graph. */
struct hy_tflite_contents {
    uint32_t variable;
    uint32_t before; /* the contents at the start of the graph */
    uint32_t now;
};

/* The variables that one graph reads or assigns, in the order of their first use. */
struct hy_tflite_used_variables {
    uint32_t count;
    struct hy_tflite_contents *at;
};

void hy_tflite_used_variables_finish(struct hy_tflite_used_variables *used);

/* The contents of a variable; NULL if the graph has not used the variable yet. The pointer is valid
 * until the next addition. */
struct hy_tflite_contents *hy_tflite_find_contents(const struct hy_tflite_used_variables *used,
                                                   uint32_t variable);

/* Adds an unused variable, with the tensor of its contents. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_tflite_add_contents(struct hy_tflite_used_variables *used,
                                                  uint32_t variable, uint32_t before,
                                                  struct hy_error *err);

#endif
