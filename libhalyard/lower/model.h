#ifndef HY_LIBHALYARD_LOWER_MODEL_H
#define HY_LIBHALYARD_LOWER_MODEL_H

#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/lower.h"

/* The NNAPI model under construction, and the memory that lives as long as the model. */

struct hy_lowered_operation {
    uint32_t subgraph, origin; /* the operator of the file */
    int32_t type;              /* ANEURALNETWORKS_* */
};

struct hy_lowered_model {
    ANeuralNetworksModel *handle;
    struct hy_lowered_model *bodies;    /* models that operations of the model run; owned */
    struct hy_lowered_model *next_body; /* next in the list of the same model */
    struct hy_lowered_operation *operations;
    uint32_t operation_count;
    struct hy_lowered_output *outputs;
    /* Legal nodes, until they have been lowered; the arena has the values outside the file. */
    struct hy_graph graph;
    /* The budget of the model and its bodies. Several threads may lower a graph several times: the
     * graph's own budget does not change. */
    struct hy_budget budget;
    bool has_placeholder;
    bool has_open_operands;
};

HY_MUST_CHECK enum hy_code hy_lowered_model_create(struct hy_lowered_model **out,
                                                   struct hy_error *err);

/* Transfers the ownership of a body to the model. */
void hy_lowered_model_own(struct hy_lowered_model *model, struct hy_lowered_model *body);

/* hy_lower for a body: all outputs are computed, by additional copies if necessary. `budget` is the
 * budget of the model that runs the body, and outlives the model; NULL: none. */
HY_MUST_CHECK enum hy_code hy_lower_body(const struct hy_graph *graph, struct hy_budget *budget,
                                         struct hy_lowered_model **out, struct hy_error *err);

/* Records type and node of the next operation of the model. */
HY_MUST_CHECK enum hy_code hy_lowered_model_note(struct hy_lowered_model *model,
                                                 const struct hy_graph_node *node, int32_t type,
                                                 struct hy_error *err);

#endif
