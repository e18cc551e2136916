#include "runtime/plan/search/intervals.h"

#include "runtime/plan/alloc.h"

#include <math.h>

enum hy_code hy_intervals_init(struct hy_intervals *intervals, const struct hy_flow *flow,
                               const struct hy_cost_model *cost_model, struct hy_arena *arena,
                               struct hy_error *err)
{
    const size_t count = flow->operation_count;

    *intervals = (struct hy_intervals){
        .flow = flow,
        .cost_model = cost_model,
        .passages = hy_plan_alloc(arena, flow->operand_count, sizeof(struct hy_passage)),
        .touched = hy_plan_alloc(arena, (size_t)flow->read_first[count] + flow->write_first[count],
                                 sizeof(uint32_t)),
        .reads_at = hy_plan_alloc(arena, count + 1, sizeof(uint32_t)),
        .writes_at = hy_plan_alloc(arena, count, sizeof(uint32_t)),
        .best = hy_plan_alloc(arena, count + 1, sizeof(double)),
        .device = hy_plan_alloc(arena, count, sizeof(uint32_t)),
        .start = hy_plan_alloc(arena, count, sizeof(uint32_t)),
        .lanes = hy_plan_alloc(arena, cost_model->device_count, sizeof(struct hy_lane)),
    };
    if (!intervals->passages || !intervals->touched || !intervals->reads_at ||
        !intervals->writes_at || !intervals->best || !intervals->device || !intervals->start ||
        !intervals->lanes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "steps of %zu operations", count);
    for (uint32_t i = 0; i < flow->operand_count; i++) {
        intervals->passages[i].bytes = (float)flow->bytes[i];
        intervals->passages[i].last_use = flow->is_output[i] ? HY_NEVER_LAST : 0;
    }
    return HY_OK;
}

/* ---- One position ---------------------------------------------------------------------------- */

/* The current operation with the byte counts that do not depend on the start of a step. */
struct here {
    struct hy_intervals *intervals;
    uint32_t operation;
    uint32_t position;
    double bytes_read; /* all reads */
    double given;      /* outputs of the graph */
    double made;       /* results for later operations */
};

static struct here look_at(struct hy_intervals *intervals, uint32_t operation, uint32_t position)
{
    struct here here = {.intervals = intervals, .operation = operation, .position = position};
    const uint32_t middle = intervals->writes_at[position], end = intervals->reads_at[position + 1];

    for (uint32_t i = intervals->reads_at[position]; i < middle; i++)
        here.bytes_read += intervals->passages[intervals->touched[i]].bytes;
    for (uint32_t i = middle; i < end; i++) {
        const struct hy_passage *passage = &intervals->passages[intervals->touched[i]];
        if (passage->last_use == HY_NEVER_LAST)
            here.given += passage->bytes;
        else if (passage->last_use > position + 1)
            here.made += passage->bytes;
    }
    return here;
}

/* The operation joins a step. Only operands that the step has not touched are transferred in, and
 * only results with later readers are transferred out. */
static void extend(const struct here *here, double unit_cost, struct hy_interval *interval)
{
    const struct hy_intervals *intervals = here->intervals;
    const uint32_t end = intervals->writes_at[here->position];

    interval->spent += here->given * unit_cost;
    interval->live += here->made;
    for (uint32_t i = intervals->reads_at[here->position]; i < end; i++) {
        const struct hy_passage *passage = &intervals->passages[intervals->touched[i]];
        if (passage->last_seen <= interval->start)
            interval->spent += passage->bytes * unit_cost;
        if (passage->last_use == here->position + 1 && passage->written > interval->start)
            interval->live -= passage->bytes;
    }
}

/* Total cost if the step ends here. */
static double cost_of(const struct hy_interval *interval, double unit_cost)
{
    return unit_cost > 0 ? interval->spent + interval->live * unit_cost : interval->spent;
}

/*
 * Keeps the useful starts. From here on an earlier start costs at most as much as a later start,
 * because it has touched more. So a start stays only if it is cheaper than all earlier starts.
 */
static void drop_beaten(struct hy_lane *lane, double unit_cost)
{
    double least = INFINITY;
    uint32_t retained = 0;

    for (uint32_t i = 0; i < lane->count; i++) {
        const double cost = cost_of(&lane->intervals[i], unit_cost);
        if (cost >= least)
            continue;
        least = cost;
        lane->intervals[retained++] = lane->intervals[i];
    }
    lane->count = retained;
    if (retained <= HY_INTERVAL_STARTS)
        return;
    memmove(lane->intervals, lane->intervals + 1, HY_INTERVAL_STARTS * sizeof *lane->intervals);
    lane->count = HY_INTERVAL_STARTS;
}

/* False: the device does not support the operation, so every step on the device ends before it. */
static bool advance(const struct here *here, uint32_t device)
{
    struct hy_intervals *intervals = here->intervals;
    const struct hy_cost_model *cost_model = intervals->cost_model;
    const double unit_cost = cost_model->byte[device];
    const double extra = hy_cost_model_extra(cost_model, device, here->operation);
    struct hy_lane *lane = &intervals->lanes[device];

    if (extra == INFINITY) {
        lane->count = 0;
        return false;
    }
    for (uint32_t i = 0; i < lane->count; i++) {
        lane->intervals[i].spent += extra;
        if (unit_cost > 0)
            extend(here, unit_cost, &lane->intervals[i]);
    }
    lane->intervals[lane->count++] = (struct hy_interval){
        .start = here->position,
        .spent = intervals->best[here->position] + cost_model->launch[device] + extra +
                 (here->bytes_read + here->given) * unit_cost,
        .live = here->made,
    };
    drop_beaten(lane, unit_cost);
    return true;
}

static void advance_all(const struct here *here)
{
    struct hy_intervals *intervals = here->intervals;
    const struct hy_cost_model *cost_model = intervals->cost_model;
    double *best = &intervals->best[here->position + 1];

    *best = INFINITY;
    for (uint32_t i = 0; i < cost_model->device_count; i++) {
        const uint32_t device = cost_model->ranking[i];
        if (!advance(here, device))
            continue;
        const struct hy_lane *lane = &intervals->lanes[device];
        const struct hy_interval *cheapest = &lane->intervals[lane->count - 1];
        const double cost = cost_of(cheapest, cost_model->byte[device]);
        if (cost >= *best)
            continue;
        *best = cost;
        intervals->device[here->position] = device;
        intervals->start[here->position] = cheapest->start;
    }
}

/* ---- All places ------------------------------------------------------------------------------ */

/* Copies the operands into the order of the operations, for locality in large graphs, and finds the
 * write and the last read of each. */
static void lay_out(struct hy_intervals *intervals, const uint32_t *order)
{
    const struct hy_flow *flow = intervals->flow;
    uint32_t count = 0;

    for (uint32_t i = 0; i < flow->operand_count; i++) {
        struct hy_passage *passage = &intervals->passages[i];
        passage->written = passage->last_seen = 0;
    }
    for (uint32_t position = 0; position < flow->operation_count; position++) {
        const uint32_t operation = order[position];
        for (uint32_t i = flow->read_first[operation]; i < flow->read_first[operation + 1]; i++) {
            struct hy_passage *passage = &intervals->passages[flow->reads[i]];
            intervals->touched[count++] = flow->reads[i];
            if (passage->last_use != HY_NEVER_LAST)
                passage->last_use = position + 1;
        }
        intervals->writes_at[position] = count;
        for (uint32_t i = flow->write_first[operation]; i < flow->write_first[operation + 1]; i++) {
            intervals->touched[count++] = flow->writes[i];
            intervals->passages[flow->writes[i]].written = position + 1;
        }
        intervals->reads_at[position + 1] = count;
    }
}

static void mark_seen(struct hy_intervals *intervals, uint32_t position)
{
    for (uint32_t i = intervals->reads_at[position]; i < intervals->reads_at[position + 1]; i++)
        intervals->passages[intervals->touched[i]].last_seen = position + 1;
}

/* From end to start: the best step that ends here, then the best one before it. `device` becomes
 * the device of the operation at each position. */
static void trace(struct hy_intervals *intervals, uint32_t count)
{
    for (uint32_t end = count; end > 0;) {
        const uint32_t device = intervals->device[end - 1], start = intervals->start[end - 1];
        for (uint32_t i = start; i < end; i++)
            intervals->device[i] = device;
        end = start;
    }
}

static void make_steps(const struct hy_intervals *intervals, struct hy_partition *ret)
{
    ret->step_count = 0;
    for (uint32_t i = 0; i < ret->operation_count; i++) {
        if (i == 0 || intervals->device[i] != intervals->device[i - 1])
            ret->first[ret->step_count++] = i;
        ret->device_of[ret->operations[i]] = intervals->device[i];
    }
    ret->first[ret->step_count] = ret->operation_count;
}

double hy_intervals_run(struct hy_intervals *intervals, const uint32_t *order,
                        struct hy_partition *ret)
{
    const uint32_t count = intervals->flow->operation_count;

    memmove(ret->operations, order, count * sizeof *order);
    for (uint32_t i = 0; i < intervals->cost_model->device_count; i++)
        intervals->lanes[i].count = 0;
    lay_out(intervals, ret->operations);
    intervals->best[0] = 0;
    for (uint32_t position = 0; position < count; position++) {
        const struct here here = look_at(intervals, ret->operations[position], position);
        advance_all(&here);
        mark_seen(intervals, position);
    }
    trace(intervals, count);
    make_steps(intervals, ret);
    intervals->visited += count;
    return intervals->best[count];
}
