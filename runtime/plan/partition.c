#include "runtime/plan/partition.h"

#include "runtime/plan/take.h"

/* A line of ready operations per device, linked through `next`. */
struct walk {
    const struct hy_subgraph *graph;
    const struct hy_operand_uses *uses;
    const struct hy_plan_choice *choices;
    struct hy_partition *partition;
    uint32_t *pending; /* [operation]: arguments that are not computed yet */
    uint32_t *next;    /* [operation] */
    uint32_t *head;    /* [device] */
    uint32_t *tail;    /* [device] */
    uint32_t placed;   /* operations in steps so far */
};

static void push_ready(struct walk *walk, uint32_t operation)
{
    const uint32_t device = walk->choices[operation].device;

    walk->next[operation] = HY_NO_OPERATION;
    if (walk->head[device] == HY_NO_OPERATION)
        walk->head[device] = operation;
    else
        walk->next[walk->tail[device]] = operation;
    walk->tail[device] = operation;
}

static uint32_t pop_ready(struct walk *walk, uint32_t device)
{
    const uint32_t operation = walk->head[device];

    walk->head[device] = walk->next[operation];
    return operation;
}

static void release_readers(struct walk *walk, uint32_t operation)
{
    const struct hy_operation *done = &walk->graph->operations[operation];

    for (uint32_t i = 0; i < done->output_count; i++) {
        const uint32_t operand = done->outputs[i];
        for (uint32_t j = walk->uses->first[operand]; j < walk->uses->first[operand + 1]; j++) {
            const uint32_t reader = walk->uses->readers[j];
            if (--walk->pending[reader] == 0)
                push_ready(walk, reader);
        }
    }
}

static void start(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->graph->operation_count; i++) {
        const struct hy_operation *operation = &walk->graph->operations[i];
        for (uint32_t j = 0; j < operation->input_count; j++)
            walk->pending[i] += walk->uses->writer[operation->inputs[j]] != HY_NO_OPERATION;
        if (walk->pending[i] == 0)
            push_ready(walk, i);
    }
}

/* One step: everything that is ready for the device, and what gets ready by it. */
static void drain(struct walk *walk, uint32_t device)
{
    struct hy_partition *partition = walk->partition;
    const uint32_t step = partition->step_count++;

    partition->device[step] = device;
    while (walk->head[device] != HY_NO_OPERATION) {
        const uint32_t operation = pop_ready(walk, device);
        partition->operations[walk->placed++] = operation;
        partition->step_of[operation] = step;
        release_readers(walk, operation);
    }
    partition->first[step + 1] = walk->placed;
}

static enum hy_code take_memory(struct walk *walk, uint32_t device_count, struct hy_arena *arena,
                                struct hy_error *err)
{
    struct hy_partition *partition = walk->partition;
    const size_t count = walk->graph->operation_count;

    partition->operations = hy_plan_take(arena, count, sizeof(uint32_t));
    partition->first = hy_plan_take(arena, count + 1, sizeof(uint32_t));
    partition->device = hy_plan_take(arena, count, sizeof(uint32_t));
    partition->step_of = hy_plan_take(arena, count, sizeof(uint32_t));
    walk->pending = hy_plan_take(arena, count, sizeof(uint32_t));
    walk->next = hy_plan_take(arena, count, sizeof(uint32_t));
    walk->head = hy_plan_take(arena, device_count, sizeof(uint32_t));
    walk->tail = hy_plan_take(arena, device_count, sizeof(uint32_t));
    if (!partition->operations || !partition->first || !partition->device || !partition->step_of ||
        !walk->pending || !walk->next || !walk->head || !walk->tail)
        return hy_fail(err, HY_OUT_OF_MEMORY, "steps of %zu operations", count);
    memset(walk->head, 0xff, device_count * sizeof *walk->head);
    return HY_OK;
}

enum hy_code hy_partition_make(const struct hy_subgraph *graph, const struct hy_operand_uses *uses,
                               const struct hy_plan_choice *choices, uint32_t device_count,
                               struct hy_arena *arena, struct hy_partition *ret,
                               struct hy_error *err)
{
    struct hy_partition partition = {0};
    struct walk walk = {.graph = graph, .uses = uses, .choices = choices, .partition = &partition};
    enum hy_code code = take_memory(&walk, device_count, arena, err);
    if (code != HY_OK)
        return code;

    /* A round that places nothing has found a cycle. Each round costs `device_count`, and places
     * at least one operation. */
    start(&walk);
    for (uint32_t before = UINT32_MAX; before != walk.placed;) {
        before = walk.placed;
        for (uint32_t device = 0; device < device_count; device++) {
            if (walk.head[device] != HY_NO_OPERATION)
                drain(&walk, device);
        }
    }
    if (walk.placed != graph->operation_count)
        return hy_fail(err, HY_FAILED, "%u of %u operations form a cycle",
                       graph->operation_count - walk.placed, graph->operation_count);
    *ret = partition;
    return HY_OK;
}
