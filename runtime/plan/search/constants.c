#include "runtime/plan/search/constants.h"

#include "runtime/plan/alloc.h"

#define NONE UINT32_MAX

/* State while operations move; partition->step_of has their current steps. */
struct move {
    const struct hy_flow *flow;
    const struct hy_cost_model *cost_model;
    struct hy_partition *partition;
    bool *is_constant;   /* [operation]: the results depend only on constants */
    uint32_t *device_of; /* [step] */
    uint32_t *order;     /* [position]: operations */
    uint32_t *number;    /* [step]: number without empty steps */
};

static void find_constants(struct move *move)
{
    const struct hy_flow *flow = move->flow;

    for (uint32_t i = 0; i < flow->operation_count; i++) {
        move->is_constant[i] = true;
        for (uint32_t j = flow->read_first[i]; j < flow->read_first[i + 1]; j++) {
            const uint32_t writer = flow->writer[flow->reads[j]];
            if (writer == HY_NO_OPERATION || !move->is_constant[writer])
                move->is_constant[i] = false;
        }
    }
}

/* The only step that reads the results of an operation, or NONE. */
static uint32_t only_reader(const struct move *move, uint32_t operation)
{
    const struct hy_flow *flow = move->flow;
    uint32_t step = NONE;

    for (uint32_t i = flow->write_first[operation]; i < flow->write_first[operation + 1]; i++) {
        const uint32_t operand = flow->writes[i];
        if (flow->is_output[operand])
            return NONE;
        for (uint32_t j = flow->reader_first[operand]; j < flow->reader_first[operand + 1]; j++) {
            const uint32_t reader = move->partition->step_of[flow->readers[j]];
            if (step != NONE && reader != step)
                return NONE;
            step = reader;
        }
    }
    return step;
}

static bool move_operation(struct move *move, uint32_t operation)
{
    struct hy_partition *partition = move->partition;
    const uint32_t to = only_reader(move, operation);

    if (to == NONE || to == partition->step_of[operation])
        return false;
    const double there = hy_cost_model_extra(move->cost_model, move->device_of[to], operation);
    const double here =
        hy_cost_model_extra(move->cost_model, partition->device_of[operation], operation);
    if (!(there <= here))
        return false;
    partition->step_of[operation] = to;
    partition->device_of[operation] = move->device_of[to];
    return true;
}

/* Readers first, so that the operations before them can follow. */
static bool move_all(struct move *move)
{
    bool has_moved = false;

    for (uint32_t i = move->flow->operation_count; i-- > 0;) {
        if (move->is_constant[i])
            has_moved |= move_operation(move, i);
    }
    return has_moved;
}

static void number_steps(struct move *move)
{
    struct hy_partition *partition = move->partition;
    uint32_t count = 0;

    memset(move->number, 0, partition->step_count * sizeof *move->number);
    for (uint32_t i = 0; i < partition->operation_count; i++)
        move->number[partition->step_of[i]] = 1;
    for (uint32_t i = 0; i < partition->step_count; i++) {
        const uint32_t is_used = move->number[i];
        move->number[i] = count;
        count += is_used;
    }
    partition->step_count = count;
    for (uint32_t i = 0; i < partition->operation_count; i++)
        partition->step_of[i] = move->number[partition->step_of[i]];
}

/* Sorts the operations by step. Moved operations come first in their step, as they come from
 * earlier steps. */
static void regroup(struct move *move)
{
    struct hy_partition *partition = move->partition;
    const size_t count = partition->operation_count;

    number_steps(move);
    memcpy(move->order, partition->operations, count * sizeof *move->order);
    memset(partition->first, 0, (partition->step_count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++)
        partition->first[partition->step_of[i]]++;
    for (uint32_t i = 1; i <= partition->step_count; i++)
        partition->first[i] += partition->first[i - 1];
    for (uint32_t i = partition->operation_count; i-- > 0;) {
        const uint32_t operation = move->order[i];
        partition->operations[--partition->first[partition->step_of[operation]]] = operation;
    }
}

enum hy_code hy_partition_move_constants(const struct hy_flow *flow,
                                         const struct hy_cost_model *cost_model,
                                         struct hy_arena *arena, struct hy_partition *partition,
                                         struct hy_error *err)
{
    const size_t operations = partition->operation_count, steps = partition->step_count;
    if (steps < 2)
        return HY_OK;
    struct move move = {
        .flow = flow,
        .cost_model = cost_model,
        .partition = partition,
        .is_constant = hy_plan_alloc(arena, operations, sizeof(bool)),
        .device_of = hy_plan_alloc(arena, steps, sizeof(uint32_t)),
        .order = hy_plan_alloc(arena, operations, sizeof(uint32_t)),
        .number = hy_plan_alloc(arena, steps, sizeof(uint32_t)),
    };
    if (!move.is_constant || !move.device_of || !move.order || !move.number)
        return hy_fail(err, HY_OUT_OF_MEMORY, "constants among %u operations",
                       partition->operation_count);

    for (uint32_t step = 0; step < steps; step++) {
        move.device_of[step] = hy_partition_device(partition, step);
        for (uint32_t i = partition->first[step]; i < partition->first[step + 1]; i++)
            partition->step_of[partition->operations[i]] = step;
    }
    find_constants(&move);
    if (move_all(&move))
        regroup(&move);
    return HY_OK;
}
