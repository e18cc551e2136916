#include "tests/scenarios/graphs/graph.h"
#include "tools/api_result.h"

static enum hy_code add_operand(const struct graph_operand *operand, ANeuralNetworksModel *model,
                                struct hy_error *err)
{
    uint32_t declared[GRAPH_RANK_MAX];
    for (uint32_t i = 0; i < operand->type.rank; i++)
        declared[i] = operand->is_hidden[i] ? 0 : operand->type.dims[i];
    const ANeuralNetworksOperandType type = {
        .type = operand->type.code,
        .dimensionCount = operand->type.rank,
        .dimensions = operand->type.rank ? declared : NULL,
        .scale = operand->type.scale,
        .zeroPoint = operand->type.zero_point,
    };
    return hy_api_result(ANeuralNetworksModel_addOperand(model, &type), "Model_addOperand", err);
}

static enum hy_code build(const struct graph *graph, struct graph_models *models,
                          ANeuralNetworksModel **ret, struct hy_error *err);

static enum hy_code set_body(const struct graph *body, ANeuralNetworksModel *model, int32_t index,
                             struct graph_models *models, struct hy_error *err)
{
    ANeuralNetworksModel **made = &models->bodies[models->body_count++];
    const enum hy_code code = build(body, models, made, err);
    if (code != HY_OK)
        return code;
    return hy_api_result(ANeuralNetworksModel_setOperandValueFromModel(model, index, *made),
                         "Model_setOperandValueFromModel", err);
}

static enum hy_code add_operands(const struct graph *graph, ANeuralNetworksModel *model,
                                 struct graph_models *models, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < graph->operand_count; i++) {
        const struct graph_operand *operand = &graph->operands[i];
        code = add_operand(operand, model, err);
        if (code == HY_OK && operand->role == GRAPH_CONSTANT)
            code =
                hy_api_result(ANeuralNetworksModel_setOperandValue(
                                  model, (int32_t)i, operand->value, graph_bytes(&operand->type)),
                              "Model_setOperandValue", err);
        if (code == HY_OK && operand->role == GRAPH_BODY)
            code = set_body(operand->body, model, (int32_t)i, models, err);
    }
    return code;
}

static enum hy_code add_operations(const struct graph *graph, ANeuralNetworksModel *model,
                                   struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < graph->operation_count; i++) {
        const struct graph_operation *operation = &graph->operations[i];
        code = hy_api_result(ANeuralNetworksModel_addOperation(
                                 model, operation->code, operation->input_count, operation->inputs,
                                 operation->output_count, operation->outputs),
                             "Model_addOperation", err);
    }
    return code;
}

static enum hy_code identify(const struct graph *graph, ANeuralNetworksModel *model,
                             struct hy_error *err)
{
    uint32_t inputs[GRAPH_OPERANDS_MAX], outputs[GRAPH_OPERANDS_MAX];
    uint32_t input_count = 0, output_count = 0;
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (graph->operands[i].role == GRAPH_INPUT)
            inputs[input_count++] = i;
        if (graph->operands[i].is_output)
            outputs[output_count++] = i;
    }
    return hy_api_result(ANeuralNetworksModel_identifyInputsAndOutputs(model, input_count, inputs,
                                                                       output_count, outputs),
                         "Model_identifyInputsAndOutputs", err);
}

static enum hy_code build(const struct graph *graph, struct graph_models *models,
                          ANeuralNetworksModel **ret, struct hy_error *err)
{
    enum hy_code code = hy_api_result(ANeuralNetworksModel_create(ret), "Model_create", err);
    if (code == HY_OK)
        code = add_operands(graph, *ret, models, err);
    if (code == HY_OK)
        code = add_operations(graph, *ret, err);
    if (code == HY_OK)
        code = identify(graph, *ret, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_finish(*ret), "Model_finish", err);
    return code;
}

enum hy_code graph_build(const struct graph *graph, struct graph_models *models,
                         struct hy_error *err)
{
    if (graph->failed)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a graph of %u operands", graph->operand_count);
    return build(graph, models, &models->main, err);
}

void graph_models_finish(struct graph_models *models)
{
    ANeuralNetworksModel_free(models->main);
    for (uint32_t i = 0; i < models->body_count; i++)
        ANeuralNetworksModel_free(models->bodies[i]);
    *models = (struct graph_models){0};
}
