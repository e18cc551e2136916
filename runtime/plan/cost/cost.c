#include "runtime/plan/cost/cost.h"

#include "android/NeuralNetworks.h"
#include "common/operations/operand_type.h"
#include "runtime/extension/type_info.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/cost/nearest_type.h"

#include <stdbool.h>

/* Limit for nested bodies of IF and WHILE; deeper costs are ignored. */
#define MAX_DEPTH 32

struct cost {
    double time;
    double objective; /* cost by the preference */
};

struct scale {
    const struct hy_cost_basis *basis;
    const struct hy_model *model;
    struct cost *bodies; /* per referenced subgraph */
    bool *is_known;      /* [referenced subgraph]: `bodies` is valid */
};

static struct cost subgraph_cost(const struct scale *scale, uint32_t body, unsigned depth);

/* ---- Declared figures ------------------------------------------------------------------------ */

static double figure(float value)
{
    return value > 0 && value <= HY_SLOWEST_RATIO ? (double)value : HY_SLOWEST_RATIO;
}

/* Time, and energy if preferred, relative to halyard-cpu. */
static struct cost ratios(const struct scale *scale, const struct hy_performance *performance)
{
    const double time = figure(performance->exec_time);

    if (scale->basis->preference != HY_PREFER_LOW_POWER)
        return (struct cost){time, time};
    return (struct cost){time, figure(performance->power_usage)};
}

/* The driver's figures for a type, or NULL. */
static const struct hy_performance *find_figures(const struct hy_capabilities *capabilities,
                                                 int32_t type)
{
    uint32_t low = 0, high = capabilities->operand_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (capabilities->operands[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < capabilities->operand_count && capabilities->operands[low].type == type)
        return &capabilities->operands[low].performance;
    return NULL;
}

/* Drivers list only NNAPI types. A device without a similar type counts as halyard-cpu. */
static struct cost extension_ratios(const struct scale *scale, int32_t type)
{
    const struct hy_performance *figures = NULL;
    struct hy_type_info info;

    if (hy_type_info_find(type, &info))
        figures = find_figures(scale->basis->capabilities, hy_nearest_type(type, &info));
    return figures ? ratios(scale, figures) : (struct cost){1, 1};
}

static struct cost type_ratios(const struct scale *scale, int32_t type)
{
    const struct hy_capabilities *capabilities = scale->basis->capabilities;

    if (hy_type_is_extension(type))
        return extension_ratios(scale, type);
    if (scale->model->relaxed_float && type == ANEURALNETWORKS_FLOAT32)
        return ratios(scale, &capabilities->relaxed_scalar);
    if (scale->model->relaxed_float && type == ANEURALNETWORKS_TENSOR_FLOAT32)
        return ratios(scale, &capabilities->relaxed_tensor);
    const struct hy_performance *figures = find_figures(capabilities, type);
    return figures ? ratios(scale, figures) : (struct cost){HY_SLOWEST_RATIO, HY_SLOWEST_RATIO};
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* True if the operation is computed once at prepare. */
static bool reads_constants_alone(const struct hy_subgraph *graph,
                                  const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < operation->input_count; i++) {
        const int32_t lifetime = graph->operands[operation->inputs[i]].lifetime;
        if (lifetime == HY_LIFETIME_TEMPORARY || lifetime == HY_LIFETIME_INPUT ||
            lifetime == HY_LIFETIME_OUTPUT)
            return false;
    }
    return true;
}

/* The cost of an operation without its bodies. With the low-power preference a measured time is
 * multiplied by the declared power, like a declared time. */
static struct cost plain_cost(const struct scale *scale, const struct hy_subgraph *graph,
                              const struct hy_operation *operation,
                              struct hy_work_estimate estimate)
{
    const struct hy_cost_basis *basis = scale->basis;
    const int32_t type = graph->operands[operation->inputs[0]].type;
    const struct hy_profile_key key = {operation->type, type, scale->model->relaxed_float == 1};
    const struct cost ratio = type_ratios(scale, type);

    const double measured = hy_profile_time(basis->profile, key, estimate.units);
    if (measured >= 0)
        return (struct cost){measured, measured * (ratio.objective / ratio.time)};
    double on_cpu = hy_profile_time(basis->cpu_profile, key, estimate.units);
    if (on_cpu < 0)
        on_cpu = estimate.ns;
    return (struct cost){on_cpu * ratio.time, on_cpu * ratio.objective};
}

/* The cost of the body at input `input`; zero without a body. */
static struct cost body_cost(const struct scale *scale, const struct hy_subgraph *graph,
                             const struct hy_operation *operation, uint32_t input, unsigned depth)
{
    if (input >= operation->input_count || depth >= MAX_DEPTH)
        return (struct cost){0};

    const struct hy_operand *operand = &graph->operands[operation->inputs[input]];
    if (operand->lifetime != HY_LIFETIME_SUBGRAPH ||
        operand->location.offset >= scale->model->referenced_count)
        return (struct cost){0};
    return subgraph_cost(scale, (uint32_t)operand->location.offset, depth);
}

/* overhead + first * a + second * b */
static struct cost control_cost(const struct scale *scale, const struct hy_performance *overhead,
                                double first, struct cost a, double second, struct cost b)
{
    const struct cost ratio = ratios(scale, overhead);

    return (struct cost){HY_CONTROL_FLOW_NS * ratio.time + first * a.time + second * b.time,
                         HY_CONTROL_FLOW_NS * ratio.objective + first * a.objective +
                             second * b.objective};
}

/* `estimate` is NULL if not computed yet. */
static struct cost operation_cost(const struct scale *scale, const struct hy_subgraph *graph,
                                  const struct hy_operation *operation,
                                  const struct hy_work_estimate *estimate, unsigned depth)
{
    const struct hy_capabilities *capabilities = scale->basis->capabilities;

    switch (operation->type) {
    case ANEURALNETWORKS_IF: /* condition input, then both branches */
        return control_cost(scale, &capabilities->if_overhead, .5,
                            body_cost(scale, graph, operation, 1, depth + 1), .5,
                            body_cost(scale, graph, operation, 2, depth + 1));
    case ANEURALNETWORKS_WHILE: /* the condition runs once more than the body */
        return control_cost(scale, &capabilities->while_overhead, HY_ASSUMED_ITERATIONS + 1,
                            body_cost(scale, graph, operation, 0, depth + 1), HY_ASSUMED_ITERATIONS,
                            body_cost(scale, graph, operation, 1, depth + 1));
    default:
        if (reads_constants_alone(graph, operation))
            return (struct cost){0};
        return plain_cost(scale, graph, operation,
                          estimate ? *estimate : hy_work_estimate_of(graph, operation));
    }
}

static struct cost subgraph_cost(const struct scale *scale, uint32_t body, unsigned depth)
{
    if (!scale->is_known[body]) {
        const struct hy_subgraph *graph = scale->model->referenced[body];
        struct cost sum = {0};
        for (uint32_t i = 0; i < graph->operation_count; i++) {
            const struct cost one =
                operation_cost(scale, graph, &graph->operations[i], NULL, depth);
            sum.time += one.time;
            sum.objective += one.objective;
        }
        scale->bodies[body] = sum;
        scale->is_known[body] = true;
    }
    return scale->bodies[body];
}

enum hy_code hy_plan_costs(const struct hy_cost_basis *basis, const struct hy_model *model,
                           struct hy_arena *arena, double *times, double *costs,
                           struct hy_error *err)
{
    struct scale scale = {.basis = basis, .model = model};
    scale.bodies = hy_plan_alloc(arena, model->referenced_count, sizeof *scale.bodies);
    scale.is_known = hy_plan_alloc(arena, model->referenced_count, sizeof *scale.is_known);
    if (!scale.bodies || !scale.is_known)
        return hy_fail(err, HY_OUT_OF_MEMORY, "costs of %u subgraphs", model->referenced_count);

    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        const struct cost cost = operation_cost(&scale, model->main, &model->main->operations[i],
                                                &basis->estimate[i], 0);
        times[i] = cost.time;
        costs[i] = cost.objective;
    }
    return HY_OK;
}
