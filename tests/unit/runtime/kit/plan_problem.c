#include "plan_problem.h"

#include "common/random.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/search/walk.h"

#include <android/NeuralNetworks.h>
#include <math.h>

enum { MOST_INPUTS = 3, MOST_BYTES = 30, FAMILIES = 4 };

static double fraction(struct hy_random *random)
{
    return hy_random_below(random, 1u << 30) / (double)(1u << 30);
}

/* Between the two, all orders of magnitude alike. */
static double spread(struct hy_random *random, double low, double high)
{
    return low * pow(high / low, fraction(random));
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* Operand 0 is the input of the graph; each operation adds one. */
static uint32_t pick_operand(struct hy_random *random, uint32_t family, uint32_t operation,
                             uint32_t input)
{
    switch (family) {
    case 0: /* a chain, with shortcuts */
        return input == 0 ? operation : hy_random_below(random, operation + 1);
    case 1: /* what is near */
        return operation - hy_random_below(random, operation < 3 ? operation + 1 : 3);
    case 2: /* branches side by side */
        return operation < 3 ? 0 : operation - 2;
    default:
        return hy_random_below(random, operation + 1);
    }
}

static bool fill_operation(struct plan_problem *problem, struct hy_random *random, uint32_t family,
                           uint32_t index, struct hy_operation *operation)
{
    uint32_t *inputs = hy_plan_alloc(&problem->arena, MOST_INPUTS, sizeof *inputs);
    uint32_t *output = hy_plan_alloc(&problem->arena, 1, sizeof *output);
    if (!inputs || !output)
        return false;

    const uint32_t count = 1 + hy_random_below(random, MOST_INPUTS);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = pick_operand(random, family, index, i);
    *output = index + 1;
    *operation = (struct hy_operation){
        .type = ANEURALNETWORKS_ADD,
        .input_count = count,
        .output_count = 1,
        .inputs = inputs,
        .outputs = output,
    };
    return true;
}

/* What nobody reads is an output of the graph, and so is something else now and then. */
static void find_outputs(struct hy_random *random, const struct hy_subgraph *graph,
                         struct hy_operand *operands)
{
    for (uint32_t i = 1; i < graph->operand_count; i++)
        operands[i].lifetime = HY_LIFETIME_OUTPUT;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        for (uint32_t j = 0; j < operation->input_count; j++) {
            struct hy_operand *operand = &operands[operation->inputs[j]];
            if (operation->inputs[j] > 0 && hy_random_below(random, 10))
                operand->lifetime = HY_LIFETIME_TEMPORARY;
        }
    }
}

static bool make_flow(struct plan_problem *problem, struct hy_random *random, uint32_t count)
{
    const uint32_t family = hy_random_below(random, FAMILIES);
    struct hy_operation *operations = hy_plan_alloc(&problem->arena, count, sizeof *operations);
    struct hy_operand *operands = hy_plan_alloc(&problem->arena, count + 1, sizeof *operands);
    uint32_t *bytes = hy_plan_alloc(&problem->arena, count + 1, sizeof *bytes);
    const struct hy_subgraph graph = {.operand_count = count + 1,
                                      .operation_count = count,
                                      .operands = operands,
                                      .operations = operations};
    if (!operations || !operands || !bytes)
        return false;

    for (uint32_t i = 0; i <= count; i++) {
        bytes[i] = 1 + hy_random_below(random, MOST_BYTES);
        operands[i] = (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                          .lifetime = HY_LIFETIME_INPUT,
                                          .rank = 1,
                                          .dims = &bytes[i]};
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!fill_operation(problem, random, family, i, &operations[i]))
            return false;
    }
    find_outputs(random, &graph, operands);
    return hy_flow_make(&graph, &problem->arena, &problem->flow, NULL) == HY_OK;
}

/* ---- Prices ---------------------------------------------------------------------------------- */

/* What one operation costs on each device: at least one of them takes it. */
static void draw_operation(struct hy_cost_model *cost_model, struct hy_random *random,
                           uint32_t operation, double support, const double *speed)
{
    const uint32_t sure = hy_random_below(random, cost_model->device_count);
    const double work = spread(random, 1, 300);

    for (uint32_t i = 0; i < cost_model->device_count; i++) {
        const double cost = work * speed[i] * spread(random, .5, 2);
        const bool supports = i == sure || fraction(random) < support;
        cost_model->extra[(size_t)operation * cost_model->device_count + i] =
            supports ? cost : INFINITY;
    }
}

static uint32_t split_off_least(struct hy_cost_model *cost_model, uint32_t operation)
{
    uint32_t least = 0;

    for (uint32_t i = 1; i < cost_model->device_count; i++) {
        if (hy_cost_model_extra(cost_model, i, operation) <
            hy_cost_model_extra(cost_model, least, operation))
            least = i;
    }
    const double cost = hy_cost_model_extra(cost_model, least, operation);
    for (uint32_t i = 0; i < cost_model->device_count; i++)
        cost_model->extra[(size_t)operation * cost_model->device_count + i] -= cost;
    cost_model->least += cost;
    return least;
}

static bool alloc_cost_model(struct plan_problem *problem, struct plan_problem_size size)
{
    struct hy_arena *arena = &problem->arena;
    const size_t cells = (size_t)size.devices * size.operations;

    problem->cost_model = (struct hy_cost_model){
        .device_count = size.devices,
        .operation_count = size.operations,
        .extra = hy_plan_alloc(arena, cells, sizeof(double)),
        .launch = hy_plan_alloc(arena, size.devices, sizeof(double)),
        .byte = hy_plan_alloc(arena, size.devices, sizeof(double)),
        .ranking = hy_plan_alloc(arena, size.devices, sizeof(uint32_t)),
    };
    problem->cheapest = hy_plan_alloc(arena, size.operations, sizeof(uint32_t));
    return problem->cost_model.extra && problem->cost_model.launch && problem->cost_model.byte &&
           problem->cost_model.ranking && problem->cheapest;
}

static bool make_cost_model(struct plan_problem *problem, struct hy_random *random,
                            struct plan_problem_size size)
{
    struct hy_cost_model *cost_model = &problem->cost_model;
    const double dearness = spread(random, .05, 20), support = .4 + .6 * fraction(random);
    if (!alloc_cost_model(problem, size))
        return false;

    double *speed = hy_plan_alloc(&problem->arena, size.devices, sizeof *speed);
    for (uint32_t i = 0; speed && i < size.devices; i++) {
        speed[i] = spread(random, .2, 5);
        cost_model->ranking[i] = i;
        cost_model->launch[i] = hy_random_below(random, 4) ? dearness * spread(random, 1, 100) : 0;
        cost_model->byte[i] = hy_random_below(random, 3) ? dearness * spread(random, .01, 10) : 0;
    }
    for (uint32_t i = 0; speed && i < size.operations; i++) {
        draw_operation(cost_model, random, i, support, speed);
        problem->cheapest[i] = split_off_least(cost_model, i);
    }
    return speed != NULL;
}

bool plan_problem_make(uint64_t seed, struct plan_problem_size size, struct plan_problem *ret)
{
    struct hy_random random = {seed};
    struct plan_problem problem = {0};

    if (!make_flow(&problem, &random, size.operations) ||
        !make_cost_model(&problem, &random, size)) {
        plan_problem_finish(&problem);
        return false;
    }
    *ret = problem;
    return true;
}

void plan_problem_finish(struct plan_problem *problem)
{
    hy_arena_finish(&problem->arena);
}

/* ---- The optimum ----------------------------------------------------------------------------- */

/* Tries all devices for one operation after the other. */
struct brute_force {
    const struct hy_flow *flow;
    const struct hy_cost_model *cost_model;
    struct hy_walk walk;
    struct hy_partition partition;
    uint32_t *mark;
    uint32_t *device_of;
    double best;
};

static bool init_brute_force(struct brute_force *force, struct plan_problem *problem,
                             struct hy_arena *arena)
{
    const uint32_t count = problem->flow.operation_count;

    *force = (struct brute_force){
        .flow = &problem->flow,
        .cost_model = &problem->cost_model,
        .mark = hy_plan_alloc(arena, problem->flow.operand_count, sizeof(uint32_t)),
        .device_of = hy_plan_alloc(arena, count, sizeof(uint32_t)),
    };
    return force->mark && force->device_of &&
           hy_partition_alloc(count, arena, &force->partition, NULL) == HY_OK &&
           hy_walk_init(&force->walk, &problem->flow, &problem->cost_model, arena, NULL) == HY_OK;
}

static double cost_of(struct brute_force *force, const uint32_t *device_of)
{
    double least = INFINITY;

    for (int direction = HY_FROM_INPUTS; direction <= HY_FROM_OUTPUTS; direction++) {
        hy_walk_run(&force->walk, device_of, (enum hy_direction)direction, &force->partition);
        const double cost = hy_partition_cost(&force->partition, force->flow, force->cost_model,
                                              INFINITY, force->mark);
        if (cost < least)
            least = cost;
    }
    return least;
}

/* Whether one of the first `count` operations reads the operand on this device, or elsewhere. */
static bool is_read(const struct brute_force *force, uint32_t count, uint32_t operand,
                    uint32_t device, bool elsewhere)
{
    const struct hy_flow *flow = force->flow;

    for (uint32_t i = flow->reader_first[operand]; i < flow->reader_first[operand + 1]; i++) {
        const uint32_t reader = flow->readers[i];
        if (reader < count && (force->device_of[reader] == device) != elsewhere)
            return true;
    }
    return false;
}

/* What putting the operation there costs at least beside its own cost, given those before it. */
static double least_transfer(const struct brute_force *force, uint32_t operation)
{
    const struct hy_flow *flow = force->flow;
    const uint32_t device = force->device_of[operation];
    double cost = 0;

    for (uint32_t i = flow->read_first[operation]; i < flow->read_first[operation + 1]; i++) {
        const uint32_t operand = flow->reads[i], writer = flow->writer[operand];
        const uint32_t from = writer == HY_NO_OPERATION ? UINT32_MAX : force->device_of[writer];
        if (from == device)
            continue;
        if (!is_read(force, operation, operand, device, false))
            cost += flow->bytes[operand] * force->cost_model->byte[device];
        if (from != UINT32_MAX && !flow->is_output[operand] &&
            !is_read(force, operation, operand, from, true))
            cost += flow->bytes[operand] * force->cost_model->byte[from];
    }
    return cost;
}

static double least_launch(const struct brute_force *force, uint32_t operation)
{
    for (uint32_t i = 0; i < operation; i++) {
        if (force->device_of[i] == force->device_of[operation])
            return 0;
    }
    return force->cost_model->launch[force->device_of[operation]];
}

static void try_devices(struct brute_force *force, uint32_t operation, double spent)
{
    if (operation == force->flow->operation_count) {
        const double cost = cost_of(force, force->device_of);
        if (cost < force->best)
            force->best = cost;
        return;
    }
    for (uint32_t i = 0; i < force->cost_model->device_count; i++) {
        force->device_of[operation] = i;
        const double more = spent + hy_cost_model_extra(force->cost_model, i, operation) +
                            least_launch(force, operation) + least_transfer(force, operation);
        if (more < force->best)
            try_devices(force, operation + 1, more);
    }
}

double plan_problem_cost(struct plan_problem *problem, const uint32_t *device_of)
{
    struct hy_arena arena = {0};
    struct brute_force force;
    double cost = NAN;

    if (init_brute_force(&force, problem, &arena))
        cost = cost_of(&force, device_of);
    hy_arena_finish(&arena);
    return cost;
}

double plan_problem_optimum(struct plan_problem *problem, double limit)
{
    struct hy_arena arena = {0};
    struct brute_force force;
    double optimum = NAN;

    if (init_brute_force(&force, problem, &arena)) {
        force.best = limit;
        try_devices(&force, 0, 0);
        optimum = force.best;
    }
    hy_arena_finish(&arena);
    return optimum;
}
