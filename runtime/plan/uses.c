#include "runtime/plan/uses.h"

#include "runtime/plan/take.h"

static uint64_t count_arguments(const struct hy_subgraph *graph)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        count += graph->operations[i].input_count;
    return count;
}

/* Counts, adds up, then fills each operand's piece from its end, which leaves `first` in place. */
static void sort_readers(const struct hy_subgraph *graph, struct hy_operand_uses *uses)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        for (uint32_t j = 0; j < operation->input_count; j++)
            uses->first[operation->inputs[j]]++;
    }
    for (uint32_t i = 1; i <= graph->operand_count; i++)
        uses->first[i] += uses->first[i - 1];
    for (uint32_t i = graph->operation_count; i-- > 0;) {
        const struct hy_operation *operation = &graph->operations[i];
        for (uint32_t j = 0; j < operation->input_count; j++)
            uses->readers[--uses->first[operation->inputs[j]]] = i;
    }
}

enum hy_code hy_operand_uses_find(const struct hy_subgraph *graph, struct hy_arena *arena,
                                  struct hy_operand_uses *ret, struct hy_error *err)
{
    const uint64_t arguments = count_arguments(graph);
    const struct hy_operand_uses uses = {
        .writer = hy_plan_take(arena, graph->operand_count, sizeof *uses.writer),
        .first = hy_plan_take(arena, (size_t)graph->operand_count + 1, sizeof *uses.first),
        .readers = hy_plan_take(arena, arguments, sizeof *uses.readers),
    };
    if (!uses.writer || !uses.first || !uses.readers || arguments > UINT32_MAX)
        return hy_fail(err, HY_OUT_OF_MEMORY, "uses of %u operands", graph->operand_count);

    *ret = uses;
    memset(ret->writer, 0xff, graph->operand_count * sizeof *ret->writer);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        for (uint32_t j = 0; j < operation->output_count; j++)
            ret->writer[operation->outputs[j]] = i;
    }
    sort_readers(graph, ret);
    return HY_OK;
}
