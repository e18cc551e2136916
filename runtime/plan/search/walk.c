#include "runtime/plan/search/walk.h"

#include "runtime/plan/alloc.h"

/* Added to the launch cost, so that a step without a launch cost still counts. */
#define STEP_COST 1.0f

/* ---- The graph in both directions ------------------------------------------------------------ */

static void link_readers(const struct hy_flow *flow, struct hy_links *links)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < flow->operation_count; i++) {
        for (uint32_t j = flow->write_first[i]; j < flow->write_first[i + 1]; j++) {
            const uint32_t operand = flow->writes[j], first = flow->reader_first[operand];
            for (uint32_t k = first; k < flow->reader_first[operand + 1]; k++)
                links->operations[count++] = flow->readers[k];
        }
        links->first[i + 1] = count;
    }
}

static void link_writers(const struct hy_flow *flow, struct hy_links *links)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < flow->operation_count; i++) {
        for (uint32_t j = flow->read_first[i]; j < flow->read_first[i + 1]; j++) {
            const uint32_t writer = flow->writer[flow->reads[j]];
            if (writer != HY_NO_OPERATION)
                links->operations[count++] = writer;
        }
        links->first[i + 1] = count;
    }
}

static bool alloc_links(const struct hy_flow *flow, struct hy_arena *arena, struct hy_links *links)
{
    const size_t count = flow->operation_count;

    links->first = hy_plan_alloc(arena, count + 1, sizeof(uint32_t));
    links->operations = hy_plan_alloc(arena, flow->read_first[count], sizeof(uint32_t));
    return links->first && links->operations;
}

enum hy_code hy_walk_init(struct hy_walk *walk, const struct hy_flow *flow,
                          const struct hy_cost_model *cost_model, struct hy_arena *arena,
                          struct hy_error *err)
{
    const size_t count = flow->operation_count;

    *walk = (struct hy_walk){
        .cost_model = cost_model,
        .operation_count = flow->operation_count,
        .nodes = hy_plan_alloc(arena, count, sizeof(struct hy_walk_node)),
        .top = hy_plan_alloc(arena, cost_model->device_count, sizeof(uint32_t)),
        .urgency = hy_plan_alloc(arena, cost_model->device_count, sizeof(float)),
    };
    if (!walk->nodes || !walk->top || !walk->urgency ||
        !alloc_links(flow, arena, &walk->links[HY_FROM_INPUTS]) ||
        !alloc_links(flow, arena, &walk->links[HY_FROM_OUTPUTS]))
        return hy_fail(err, HY_OUT_OF_MEMORY, "walk over %zu operations", count);
    link_readers(flow, &walk->links[HY_FROM_INPUTS]);
    link_writers(flow, &walk->links[HY_FROM_OUTPUTS]);
    return HY_OK;
}

/* ---- One walk -------------------------------------------------------------------------------- */

struct trip {
    struct hy_walk *walk;
    const struct hy_links *links;
    struct hy_partition *ret;
    uint32_t emitted;
};

static void measure_height(const struct trip *trip, uint32_t operation)
{
    const struct hy_links *links = trip->links;
    struct hy_walk_node *nodes = trip->walk->nodes, *node = &nodes[operation];

    node->height = 0;
    for (uint32_t i = links->first[operation]; i < links->first[operation + 1]; i++) {
        const struct hy_walk_node *next = &nodes[links->operations[i]];
        float height = next->height;
        if (next->device != node->device)
            height += (float)trip->walk->cost_model->launch[next->device] + STEP_COST;
        if (height > node->height)
            node->height = height;
    }
}

static void push(const struct trip *trip, uint32_t operation)
{
    struct hy_walk *walk = trip->walk;
    struct hy_walk_node *node = &walk->nodes[operation];

    node->below = walk->top[node->device];
    walk->top[node->device] = operation;
    if (node->height > walk->urgency[node->device])
        walk->urgency[node->device] = node->height;
}

/* Operations have executable numbers, so one pass finds all heights. */
static void start(const struct trip *trip, const uint32_t *device_of, enum hy_direction direction)
{
    struct hy_walk *walk = trip->walk;
    const struct hy_links *back = &walk->links[!direction];
    const uint32_t count = walk->operation_count;

    memset(walk->top, 0xff, walk->cost_model->device_count * sizeof *walk->top);
    memset(walk->urgency, 0, walk->cost_model->device_count * sizeof *walk->urgency);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t operation = direction == HY_FROM_INPUTS ? count - 1 - i : i;
        struct hy_walk_node *node = &walk->nodes[operation];
        node->device = device_of[operation];
        node->pending = back->first[operation + 1] - back->first[operation];
        measure_height(trip, operation);
        if (node->pending == 0)
            push(trip, operation);
    }
}

static uint32_t most_urgent(const struct hy_walk *walk)
{
    const struct hy_cost_model *cost_model = walk->cost_model;
    uint32_t found = HY_NO_OPERATION;

    for (uint32_t i = 0; i < cost_model->device_count; i++) {
        const uint32_t device = cost_model->ranking[i];
        if (walk->top[device] == HY_NO_OPERATION)
            continue;
        if (found == HY_NO_OPERATION || walk->urgency[device] > walk->urgency[found])
            found = device;
    }
    return found;
}

static void drain(struct trip *trip, uint32_t device)
{
    struct hy_walk *walk = trip->walk;

    while (walk->top[device] != HY_NO_OPERATION) {
        const uint32_t operation = walk->top[device];
        const uint32_t end = trip->links->first[operation + 1];
        walk->top[device] = walk->nodes[operation].below;
        trip->ret->operations[trip->emitted++] = operation;
        for (uint32_t i = trip->links->first[operation]; i < end; i++) {
            const uint32_t next = trip->links->operations[i];
            if (--walk->nodes[next].pending == 0)
                push(trip, next);
        }
    }
    walk->urgency[device] = 0;
}

static void reverse(uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* Reverses a result of a walk from the outputs. */
static void reverse_partition(struct hy_partition *partition)
{
    reverse(partition->operations, partition->operation_count);
    reverse(partition->first, partition->step_count + 1);
    for (uint32_t i = 0; i <= partition->step_count; i++)
        partition->first[i] = partition->operation_count - partition->first[i];
}

void hy_walk_run(struct hy_walk *walk, const uint32_t *device_of, enum hy_direction direction,
                 struct hy_partition *ret)
{
    struct trip trip = {walk, &walk->links[direction], ret, 0};

    ret->step_count = 0;
    start(&trip, device_of, direction);
    while (trip.emitted < walk->operation_count) {
        ret->first[ret->step_count++] = trip.emitted;
        drain(&trip, most_urgent(walk));
    }
    ret->first[ret->step_count] = trip.emitted;
    if (direction == HY_FROM_OUTPUTS)
        reverse_partition(ret);
    memmove(ret->device_of, device_of, walk->operation_count * sizeof *device_of);
    walk->visited += walk->operation_count;
}
