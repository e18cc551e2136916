#include "runtime/plan/search/search.h"

#include "runtime/plan/alloc.h"
#include "runtime/plan/search/intervals.h"
#include "runtime/plan/search/walk.h"

#include <math.h>

#define MOST_STARTS 9u /* number of improved starts, the cheapest ones */
#define FEW_STARTS  3u /* likewise for large graphs */
#define ROUNDS      2u /* rounds of improvement per start */
#define MOVES       4u /* rounds of single moves */

/* Sums in a different order may differ by this much, which is no improvement. */
#define TOLERANCE 1e-9

/* A partition with its cost. */
struct plan {
    struct hy_partition partition;
    double cost;
};

/* Devices of a start with the cost of its steps. */
struct start {
    uint32_t *device_of; /* [operation] */
    double cost;
};

struct search {
    const struct hy_flow *flow;
    const struct hy_cost_model *cost_model;
    struct hy_walk walk;
    struct hy_intervals intervals;
    uint32_t *mark; /* [operand]: see hy_partition_cost */
    struct plan best;
    struct plan from_inputs, from_outputs; /* current plans */
    struct start starts[MOST_STARTS];      /* cheapest first */
    uint32_t start_capacity;
    uint32_t start_count;
    struct start at_hand;
    uint64_t visited;
};

static bool is_less(double a, double b)
{
    return a < b * (1 - TOLERANCE);
}

static void copy(struct plan *to, const struct plan *from)
{
    hy_partition_copy(&to->partition, &from->partition);
    to->cost = from->cost;
}

static void copy_devices(const struct search *search, struct start *start,
                         const uint32_t *device_of)
{
    memcpy(start->device_of, device_of, search->flow->operation_count * sizeof *device_of);
}

/* Computes the cost and keeps the plan if it is the best so far, on a tie if it has fewer steps.
 * Above `limit` the cost is inexact; the best plan is not above `limit`. */
static void evaluate(struct search *search, struct plan *plan, double limit)
{
    plan->cost =
        hy_partition_cost(&plan->partition, search->flow, search->cost_model, limit, search->mark);
    search->visited += search->flow->operation_count;
    if (is_less(plan->cost, search->best.cost) ||
        (plan->cost <= search->best.cost &&
         plan->partition.step_count < search->best.partition.step_count))
        copy(&search->best, plan);
}

/* ---- Improving ------------------------------------------------------------------------------- */

/* Divides an order at the lowest cost: only the best division is evaluated. */
static void divide(struct search *search, const uint32_t *order, struct plan *ret)
{
    ret->cost = hy_intervals_run(&search->intervals, order, &ret->partition);
    if (is_less(ret->cost, search->best.cost))
        evaluate(search, ret, INFINITY);
}

/* Forms the steps of these devices in one direction, and divides their order again. */
static void form_and_divide(struct search *search, const uint32_t *device_of,
                            enum hy_direction direction, struct plan *ret)
{
    hy_walk_run(&search->walk, device_of, direction, &ret->partition);
    divide(search, ret->partition.operations, ret);
}

static void improve(struct search *search, struct start *start)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        form_and_divide(search, start->device_of, HY_FROM_INPUTS, &search->from_inputs);
        form_and_divide(search, start->device_of, HY_FROM_OUTPUTS, &search->from_outputs);
        const struct plan *better = is_less(search->from_outputs.cost, search->from_inputs.cost)
                                        ? &search->from_outputs
                                        : &search->from_inputs;
        if (!is_less(better->cost, start->cost))
            return;
        copy_devices(search, start, better->partition.device_of);
        start->cost = better->cost;
    }
}

/* Tries the order of operations in the app's model, for steps that no device choice suggests. */
static void improve_given_order(struct search *search)
{
    struct plan *plan = &search->from_inputs;

    for (uint32_t i = 0; i < plan->partition.operation_count; i++)
        plan->partition.operations[i] = i;
    divide(search, plan->partition.operations, plan);
    copy_devices(search, &search->at_hand, plan->partition.device_of);
    search->at_hand.cost = plan->cost;
    improve(search, &search->at_hand);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static bool is_small(const struct search *search)
{
    return search->flow->operation_count <= HY_SEARCH_SMALL;
}

/* The cost above which a start is not kept. */
static double start_limit(const struct search *search)
{
    const bool is_full = search->start_count == search->start_capacity;
    return is_full ? search->starts[search->start_count - 1].cost : INFINITY;
}

/* Forms the steps of the current start in one direction and computes their cost. */
static void form(struct search *search, enum hy_direction direction, double limit)
{
    struct start *start = &search->at_hand;
    struct plan *plan = &search->from_inputs;

    hy_walk_run(&search->walk, start->device_of, direction, &plan->partition);
    evaluate(search, plan, limit);
    if (is_less(plan->cost, start->cost))
        start->cost = plan->cost;
}

/* Adds the current start to the list if it is one of the cheapest. */
static void save_start(struct search *search)
{
    if (search->start_count < search->start_capacity)
        search->starts[search->start_count++].cost = INFINITY;
    for (uint32_t i = 0; i < search->start_count; i++) {
        const struct start other = search->starts[i];
        if (!is_less(search->at_hand.cost, other.cost))
            continue;
        search->starts[i] = search->at_hand;
        search->at_hand = other;
    }
}

/* Moves all supported operations to the device. False: no operation moves. */
static bool prefer(struct search *search, const uint32_t *device_of, uint32_t device)
{
    const uint32_t count = search->flow->operation_count;
    uint32_t *own = search->at_hand.device_of;
    bool differs = false;

    for (uint32_t i = 0; i < count; i++) {
        const bool supports = hy_cost_model_extra(search->cost_model, device, i) < INFINITY;
        own[i] = supports ? device : device_of[i];
        differs |= own[i] != device_of[i];
    }
    search->visited += count;
    search->at_hand.cost = INFINITY;
    return differs;
}

/* False: no alternatives to search. */
static bool find_starts(struct search *search, const uint32_t *device_of)
{
    bool has_alternative = false;

    copy_devices(search, &search->at_hand, device_of);
    search->at_hand.cost = INFINITY;
    form(search, HY_FROM_OUTPUTS, INFINITY);
    form(search, HY_FROM_INPUTS, INFINITY);
    save_start(search);
    for (uint32_t i = 0; i < search->cost_model->device_count; i++) {
        if (!prefer(search, device_of, search->cost_model->ranking[i]))
            continue;
        has_alternative = true;
        form(search, HY_FROM_INPUTS, start_limit(search));
        save_start(search);
    }
    return has_alternative;
}

/* ---- Single moves ---------------------------------------------------------------------------- */

/* Tries each operation on each other device; true if a move was better. */
static bool move_operations(struct search *search)
{
    const double before = search->best.cost;
    struct start *start = &search->at_hand;

    for (uint32_t i = 0; i < search->flow->operation_count; i++) {
        for (uint32_t device = 0; device < search->cost_model->device_count; device++) {
            copy_devices(search, start, search->best.partition.device_of);
            if (start->device_of[i] == device ||
                hy_cost_model_extra(search->cost_model, device, i) == INFINITY)
                continue;
            start->device_of[i] = device;
            form_and_divide(search, start->device_of, HY_FROM_INPUTS, &search->from_inputs);
            form_and_divide(search, start->device_of, HY_FROM_OUTPUTS, &search->from_outputs);
        }
    }
    return is_less(search->best.cost, before);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool alloc_starts(struct search *search, struct hy_arena *arena)
{
    const uint32_t count = search->flow->operation_count,
                   devices = search->cost_model->device_count;
    const uint32_t most = is_small(search) ? MOST_STARTS : FEW_STARTS;

    search->start_capacity = devices < most ? devices + 1 : most;
    search->at_hand.device_of = hy_plan_alloc(arena, count, sizeof(uint32_t));
    bool done = search->at_hand.device_of != NULL;
    for (uint32_t i = 0; done && i < search->start_capacity; i++) {
        search->starts[i].device_of = hy_plan_alloc(arena, count, sizeof(uint32_t));
        done = search->starts[i].device_of != NULL;
    }
    return done;
}

static enum hy_code alloc_plans(struct search *search, struct hy_arena *arena, struct hy_error *err)
{
    struct plan *const plans[] = {&search->best, &search->from_inputs, &search->from_outputs};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < sizeof plans / sizeof *plans; i++)
        code = hy_partition_alloc(search->flow->operation_count, arena, &plans[i]->partition, err);
    return code;
}

static enum hy_code init(struct search *search, struct hy_arena *arena, struct hy_error *err)
{
    const struct hy_flow *flow = search->flow;

    search->mark = hy_plan_alloc(arena, flow->operand_count, sizeof *search->mark);
    search->best.cost = INFINITY;
    if (!search->mark || !alloc_starts(search, arena))
        return hy_fail(err, HY_OUT_OF_MEMORY, "search over %u operations", flow->operation_count);
    enum hy_code code = alloc_plans(search, arena, err);
    if (code == HY_OK)
        code = hy_walk_init(&search->walk, flow, search->cost_model, arena, err);
    if (code == HY_OK)
        code = hy_intervals_init(&search->intervals, flow, search->cost_model, arena, err);
    return code;
}

static void find(struct search *search, const uint32_t *device_of)
{
    if (!find_starts(search, device_of))
        return;
    for (uint32_t i = 0; i < search->start_count; i++)
        improve(search, &search->starts[i]);
    improve_given_order(search);
    for (uint32_t i = 0; is_small(search) && i < MOVES; i++) {
        if (!move_operations(search))
            return;
    }
}

static bool supports_any(const struct hy_cost_model *cost_model, uint32_t device)
{
    for (uint32_t i = 0; i < cost_model->operation_count; i++) {
        if (hy_cost_model_extra(cost_model, device, i) < INFINITY)
            return true;
    }
    return false;
}

bool hy_search_is_needed(const struct hy_cost_model *cost_model, const uint32_t *device_of)
{
    const uint32_t device = device_of[0];

    for (uint32_t i = 0; i < cost_model->operation_count; i++) {
        if (device_of[i] != device || hy_cost_model_extra(cost_model, device, i) > 0)
            return true;
    }
    for (uint32_t i = 0; i < cost_model->device_count; i++) {
        const bool is_cheaper = cost_model->launch[i] < cost_model->launch[device] ||
                                cost_model->byte[i] < cost_model->byte[device];
        if (is_cheaper && supports_any(cost_model, i))
            return true;
    }
    return false;
}

enum hy_code hy_search_run(const struct hy_flow *flow, const struct hy_cost_model *cost_model,
                           const uint32_t *device_of, struct hy_arena *arena,
                           struct hy_partition *ret, struct hy_search_result *result,
                           struct hy_error *err)
{
    struct search search = {.flow = flow, .cost_model = cost_model};
    enum hy_code code = init(&search, arena, err);
    if (code != HY_OK)
        return code;

    find(&search, device_of);
    hy_partition_copy(ret, &search.best.partition);
    result->cost = cost_model->least + search.best.cost;
    result->visited = search.visited + search.walk.visited + search.intervals.visited;
    return HY_OK;
}
