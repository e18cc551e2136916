#include "libhalyard/lower/model.h"

#include "common/array.h"
#include "halyard/halyard.h"
#include "libhalyard/lower/legal/legalise.h"

#include <stdlib.h>

enum hy_code hy_lowered_model_create(struct hy_lowered_model **out, struct hy_error *err)
{
    struct hy_lowered_model *model = calloc(1, sizeof *model);
    if (!model)
        return hy_fail(err, HY_OUT_OF_MEMORY, "model");
    const int result = ANeuralNetworksModel_create(&model->handle);
    if (result != ANEURALNETWORKS_NO_ERROR) {
        free(model);
        return hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
    }
    *out = model;
    return HY_OK;
}

void hy_lowered_model_destroy(struct hy_lowered_model *model)
{
    if (!model)
        return;
    ANeuralNetworksModel_free(model->handle);
    while (model->bodies) {
        struct hy_lowered_model *next = model->bodies->next_body;
        hy_lowered_model_destroy(model->bodies);
        model->bodies = next;
    }
    hy_legalise_finish(&model->graph);
    free(model->operations);
    free(model->outputs);
    free(model);
}

const ANeuralNetworksModel *hy_lowered_model_handle(const struct hy_lowered_model *model)
{
    return model->handle;
}

const struct hy_lowered_output *hy_lowered_model_outputs(const struct hy_lowered_model *model)
{
    return model->outputs;
}

bool hy_lowered_model_has_placeholder(const struct hy_lowered_model *model)
{
    return model->has_placeholder;
}

bool hy_lowered_model_has_open_operands(const struct hy_lowered_model *model)
{
    return model->has_open_operands;
}

uint32_t hy_lowered_model_operator(const struct hy_lowered_model *model, uint32_t index)
{
    return model->operations[index].origin;
}

uint32_t hy_lowered_model_subgraph(const struct hy_lowered_model *model, uint32_t index)
{
    return model->operations[index].subgraph;
}

uint32_t hy_lowered_model_operation_count(const struct hy_lowered_model *model)
{
    return model->operation_count;
}

void hy_lowered_model_own(struct hy_lowered_model *model, struct hy_lowered_model *body)
{
    model->has_open_operands |= body->has_open_operands;
    body->next_body = model->bodies;
    model->bodies = body;
}

enum hy_code hy_lowered_model_note(struct hy_lowered_model *model, const struct hy_graph_node *node,
                                   int32_t type, struct hy_error *err)
{
    struct hy_lowered_operation *operations =
        hy_array_grow(model->operations, model->operation_count, sizeof *operations);
    if (!operations)
        return hy_fail(err, HY_OUT_OF_MEMORY, "model of %u operations", model->operation_count + 1);
    model->operations = operations;
    operations[model->operation_count++] = (struct hy_lowered_operation){
        .subgraph = node->subgraph, .origin = node->origin, .type = type};
    return HY_OK;
}
