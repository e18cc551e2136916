#include "runtime/plan/cost.h"

#include "android/NeuralNetworks.h"
#include "runtime/plan/take.h"

#include <float.h>

/* Bodies of IF and WHILE nest; deeper than this, a cost no longer matters. */
#define MAX_DEPTH 32

struct scale {
    const struct hy_capabilities *capabilities;
    const struct hy_model *model;
    int32_t preference;
    double *bodies; /* cost per referenced subgraph; 0 = not known yet */
};

static double subgraph_cost(const struct scale *scale, uint32_t body, unsigned depth);

static double figure(const struct scale *scale, const struct hy_performance *performance)
{
    float value = scale->preference == HY_PREFER_LOW_POWER ? performance->power_usage
                                                           : performance->exec_time;
    return value > 0 && value <= FLT_MAX ? (double)value : (double)FLT_MAX;
}

static double type_cost(const struct scale *scale, int32_t type)
{
    const struct hy_capabilities *capabilities = scale->capabilities;

    if (scale->model->relaxed_float && type == ANEURALNETWORKS_FLOAT32)
        return figure(scale, &capabilities->relaxed_scalar);
    if (scale->model->relaxed_float && type == ANEURALNETWORKS_TENSOR_FLOAT32)
        return figure(scale, &capabilities->relaxed_tensor);

    uint32_t low = 0, high = capabilities->operand_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (capabilities->operands[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < capabilities->operand_count && capabilities->operands[low].type == type)
        return figure(scale, &capabilities->operands[low].performance);
    return FLT_MAX;
}

/* Of the body that the operation's input `input` refers to. */
static double body_cost(const struct scale *scale, const struct hy_subgraph *graph,
                        const struct hy_operation *operation, uint32_t input, unsigned depth)
{
    if (input >= operation->input_count || depth >= MAX_DEPTH)
        return FLT_MAX;

    const struct hy_operand *operand = &graph->operands[operation->inputs[input]];
    if (operand->lifetime != HY_LIFETIME_SUBGRAPH ||
        operand->location.offset >= scale->model->referenced_count)
        return FLT_MAX;
    return subgraph_cost(scale, (uint32_t)operand->location.offset, depth);
}

static double operation_cost(const struct scale *scale, const struct hy_subgraph *graph,
                             const struct hy_operation *operation, unsigned depth)
{
    const struct hy_capabilities *capabilities = scale->capabilities;

    switch (operation->type) {
    case ANEURALNETWORKS_IF:
        return figure(scale, &capabilities->if_overhead) +
               (body_cost(scale, graph, operation, 1, depth + 1) +
                body_cost(scale, graph, operation, 2, depth + 1)) /
                   2;
    case ANEURALNETWORKS_WHILE:
        return figure(scale, &capabilities->while_overhead) +
               body_cost(scale, graph, operation, 0, depth + 1) +
               body_cost(scale, graph, operation, 1, depth + 1);
    default:
        if (operation->input_count == 0)
            return FLT_MAX;
        return type_cost(scale, graph->operands[operation->inputs[0]].type);
    }
}

static double subgraph_cost(const struct scale *scale, uint32_t body, unsigned depth)
{
    if (scale->bodies[body] == 0) {
        const struct hy_subgraph *graph = scale->model->referenced[body];
        double sum = 0;
        for (uint32_t i = 0; i < graph->operation_count; i++)
            sum += operation_cost(scale, graph, &graph->operations[i], depth);
        scale->bodies[body] = sum;
    }
    return scale->bodies[body];
}

enum hy_code hy_plan_costs(const struct hy_capabilities *capabilities, const struct hy_model *model,
                           int32_t preference, struct hy_arena *arena, double *costs,
                           struct hy_error *err)
{
    struct scale scale = {.capabilities = capabilities, .model = model, .preference = preference};
    scale.bodies = hy_plan_take(arena, model->referenced_count, sizeof *scale.bodies);
    if (!scale.bodies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "costs of %u subgraphs", model->referenced_count);

    for (uint32_t i = 0; i < model->main->operation_count; i++)
        costs[i] = operation_cost(&scale, model->main, &model->main->operations[i], 0);
    return HY_OK;
}
