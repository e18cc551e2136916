#ifndef HY_LIBHALYARD_LOWER_MODEL_H
#define HY_LIBHALYARD_LOWER_MODEL_H

#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/lower.h"

/* The NNAPI model under construction, and what has to live as long as the model. */

struct hy_lowered_operation {
    uint32_t subgraph, origin; /* the operator of the file that the operation is part of */
    int32_t type;              /* ANEURALNETWORKS_* */
};

struct hy_lowered_model {
    ANeuralNetworksModel *handle;
    struct hy_lowered_model *bodies;    /* that operations of the model run; owned */
    struct hy_lowered_model *next_body; /* among those of the same model */
    struct hy_lowered_operation *operations;
    uint32_t operation_count;
    struct hy_lowered_output *outputs;
    /* With legal nodes alone, until they have been lowered; its arena has values that are not in
     * the file. */
    struct hy_graph graph;
    /* Of this model and its bodies. A graph may be lowered several times, by several threads: the
     * graph's own budget does not change. */
    struct hy_budget budget;
    bool has_placeholder;
    bool has_open_operands;
};

HY_MUST_CHECK enum hy_code hy_lowered_model_create(struct hy_lowered_model **out,
                                                   struct hy_error *err);

/* Takes a body over. */
void hy_lowered_model_own(struct hy_lowered_model *model, struct hy_lowered_model *body);

/* hy_lower for a graph that an operation of a model with this budget runs: all outputs are
 * computed, if need be by copies. `budget` outlives the model; NULL: none. */
HY_MUST_CHECK enum hy_code hy_lower_body(const struct hy_graph *graph, struct hy_budget *budget,
                                         struct hy_lowered_model **out, struct hy_error *err);

/* Notes what the next operation of the model is, and of which node. */
HY_MUST_CHECK enum hy_code hy_lowered_model_note(struct hy_lowered_model *model,
                                                 const struct hy_graph_node *node, int32_t type,
                                                 struct hy_error *err);

#endif
