#include "runtime/plan/search/partition.h"

#include "runtime/plan/alloc.h"

enum hy_code hy_partition_alloc(uint32_t operation_count, struct hy_arena *arena,
                                struct hy_partition *ret, struct hy_error *err)
{
    const size_t count = operation_count;
    const struct hy_partition partition = {
        .operation_count = operation_count,
        .operations = hy_plan_alloc(arena, count, sizeof(uint32_t)),
        .first = hy_plan_alloc(arena, count + 1, sizeof(uint32_t)),
        .device_of = hy_plan_alloc(arena, count, sizeof(uint32_t)),
        .step_of = hy_plan_alloc(arena, count, sizeof(uint32_t)),
    };

    if (!partition.operations || !partition.first || !partition.device_of || !partition.step_of)
        return hy_fail(err, HY_OUT_OF_MEMORY, "steps of %u operations", operation_count);
    *ret = partition;
    return HY_OK;
}

void hy_partition_join(struct hy_partition *partition)
{
    partition->step_count = 1;
    partition->first[1] = partition->operation_count;
    for (uint32_t i = 0; i < partition->operation_count; i++) {
        partition->operations[i] = i;
        partition->step_of[i] = 0;
    }
}

void hy_partition_split(struct hy_partition *partition)
{
    partition->step_count = partition->operation_count;
    for (uint32_t i = 0; i < partition->operation_count; i++) {
        partition->operations[i] = i;
        partition->step_of[i] = i;
        partition->first[i + 1] = i + 1;
    }
}

static void number_steps(struct hy_partition *partition)
{
    for (uint32_t step = 0; step < partition->step_count; step++) {
        for (uint32_t i = partition->first[step]; i < partition->first[step + 1]; i++)
            partition->step_of[partition->operations[i]] = step;
    }
}

void hy_partition_isolate(struct hy_partition *partition, uint32_t device)
{
    uint32_t count = 0, end = partition->operation_count;

    for (uint32_t i = 0; i < partition->step_count; i++)
        count += hy_partition_device(partition, i) == device
                     ? partition->first[i + 1] - partition->first[i]
                     : 1;
    /* Backwards, so that writes stay behind unread entries. */
    uint32_t at = count;
    partition->first[at] = end;
    for (uint32_t i = partition->step_count; i-- > 0;) {
        const uint32_t begin = partition->first[i];
        if (hy_partition_device(partition, i) == device) {
            while (end > begin + 1)
                partition->first[--at] = --end;
        }
        partition->first[--at] = end = begin;
    }
    partition->step_count = count;
    number_steps(partition);
}

void hy_partition_copy(struct hy_partition *to, const struct hy_partition *from)
{
    const size_t size = from->operation_count * sizeof(uint32_t);

    to->step_count = from->step_count;
    memcpy(to->operations, from->operations, size);
    memcpy(to->first, from->first, (from->step_count + (size_t)1) * sizeof(uint32_t));
    memcpy(to->device_of, from->device_of, size);
    memcpy(to->step_of, from->step_of, size);
}

static bool is_read_elsewhere(const struct hy_partition *partition, const struct hy_flow *flow,
                              uint32_t operand, uint32_t step)
{
    for (uint32_t i = flow->reader_first[operand]; i < flow->reader_first[operand + 1]; i++) {
        if (partition->step_of[flow->readers[i]] != step)
            return true;
    }
    return flow->is_output[operand];
}

/* The bytes transferred to and from a step. An operand counts once, independent of the number of
 * reading operations. No entry of `mark` may equal `step`. */
static double crossing_bytes(const struct hy_partition *partition, const struct hy_flow *flow,
                             uint32_t step, uint32_t *mark)
{
    double bytes = 0;

    for (uint32_t i = partition->first[step]; i < partition->first[step + 1]; i++) {
        const uint32_t operation = partition->operations[i];
        for (uint32_t j = flow->read_first[operation]; j < flow->read_first[operation + 1]; j++) {
            const uint32_t operand = flow->reads[j], writer = flow->writer[operand];
            if (mark[operand] == step ||
                (writer != HY_NO_OPERATION && partition->step_of[writer] == step))
                continue;
            mark[operand] = step;
            bytes += flow->bytes[operand];
        }
        for (uint32_t j = flow->write_first[operation]; j < flow->write_first[operation + 1]; j++) {
            if (is_read_elsewhere(partition, flow, flow->writes[j], step))
                bytes += flow->bytes[flow->writes[j]];
        }
    }
    return bytes;
}

double hy_partition_cost(struct hy_partition *partition, const struct hy_flow *flow,
                         const struct hy_cost_model *cost_model, double limit, uint32_t *mark)
{
    double cost = 0;

    number_steps(partition);
    memset(mark, 0xff, flow->operand_count * sizeof *mark);
    for (uint32_t step = 0; step < partition->step_count && cost <= limit; step++) {
        const uint32_t device = hy_partition_device(partition, step);
        cost += cost_model->launch[device];
        if (cost_model->byte[device] > 0)
            cost += cost_model->byte[device] * crossing_bytes(partition, flow, step, mark);
        for (uint32_t i = partition->first[step]; i < partition->first[step + 1]; i++)
            cost += hy_cost_model_extra(cost_model, device, partition->operations[i]);
    }
    return cost;
}
