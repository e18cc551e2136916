#include "runtime/plan/search/flow.h"

#include "common/operations/shape.h"
#include "runtime/extension/type_info.h"
#include "runtime/plan/alloc.h"

uint64_t hy_operand_bytes(const struct hy_operand *operand)
{
    struct hy_type_info type;
    uint64_t bytes;

    if (!hy_type_info_find(operand->type, &type) || (!type.is_scalar && operand->rank == 0))
        return 0;
    bytes = type.element_bytes;
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (!hy_mul_u64(bytes, operand->dims[i], &bytes))
            return 0;
    }
    return bytes;
}

static bool flows(const struct hy_operand *operand)
{
    return operand->lifetime == HY_LIFETIME_TEMPORARY || operand->lifetime == HY_LIFETIME_INPUT ||
           operand->lifetime == HY_LIFETIME_OUTPUT;
}

static bool alloc_tables(const struct hy_subgraph *graph, struct hy_arena *arena,
                         struct hy_flow *flow)
{
    const size_t operations = graph->operation_count, operands = graph->operand_count;
    size_t inputs = 0, outputs = 0;

    for (uint32_t i = 0; i < operations; i++) {
        inputs += graph->operations[i].input_count;
        outputs += graph->operations[i].output_count;
    }
    if (inputs > UINT32_MAX || outputs > UINT32_MAX)
        return false;
    flow->read_first = hy_plan_alloc(arena, operations + 1, sizeof(uint32_t));
    flow->reads = hy_plan_alloc(arena, inputs, sizeof(uint32_t));
    flow->write_first = hy_plan_alloc(arena, operations + 1, sizeof(uint32_t));
    flow->writes = hy_plan_alloc(arena, outputs, sizeof(uint32_t));
    flow->reader_first = hy_plan_alloc(arena, operands + 1, sizeof(uint32_t));
    flow->readers = hy_plan_alloc(arena, inputs, sizeof(uint32_t));
    flow->writer = hy_plan_alloc(arena, operands, sizeof(uint32_t));
    flow->bytes = hy_plan_alloc(arena, operands, sizeof(double));
    flow->is_output = hy_plan_alloc(arena, operands, sizeof(bool));
    return flow->read_first && flow->reads && flow->write_first && flow->writes &&
           flow->reader_first && flow->readers && flow->writer && flow->bytes && flow->is_output;
}

static void describe_operands(const struct hy_subgraph *graph, struct hy_flow *flow)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        flow->writer[i] = HY_NO_OPERATION;
        flow->is_output[i] = operand->lifetime == HY_LIFETIME_OUTPUT;
        if (!flows(operand))
            continue;
        const uint64_t bytes = hy_operand_bytes(operand);
        flow->bytes[i] = bytes ? (double)bytes : HY_UNKNOWN_BYTES;
    }
}

/* Lists the operands of one operation and counts the readers of each operand. `last_reader` has the
 * last known reader of each operand. */
static void list_operation(const struct hy_subgraph *graph, uint32_t index, uint32_t *last_reader,
                           struct hy_flow *flow)
{
    const struct hy_operation *operation = &graph->operations[index];
    uint32_t read = flow->read_first[index], written = flow->write_first[index];

    for (uint32_t i = 0; i < operation->input_count; i++) {
        const uint32_t operand = operation->inputs[i];
        if (!flows(&graph->operands[operand]) || last_reader[operand] == index)
            continue;
        last_reader[operand] = index;
        flow->reads[read++] = operand;
        flow->reader_first[operand]++;
    }
    for (uint32_t i = 0; i < operation->output_count; i++) {
        flow->writes[written++] = operation->outputs[i];
        flow->writer[operation->outputs[i]] = index;
    }
    flow->read_first[index + 1] = read;
    flow->write_first[index + 1] = written;
}

/* Sums the counts, then fills each operand's list from its end, which leaves `reader_first`
 * correct. */
static void list_readers(struct hy_flow *flow)
{
    for (uint32_t i = 1; i <= flow->operand_count; i++)
        flow->reader_first[i] += flow->reader_first[i - 1];
    for (uint32_t i = flow->operation_count; i-- > 0;) {
        for (uint32_t j = flow->read_first[i]; j < flow->read_first[i + 1]; j++)
            flow->readers[--flow->reader_first[flow->reads[j]]] = i;
    }
}

enum hy_code hy_flow_make(const struct hy_subgraph *graph, struct hy_arena *arena,
                          struct hy_flow *ret, struct hy_error *err)
{
    struct hy_flow flow = {
        .operation_count = graph->operation_count,
        .operand_count = graph->operand_count,
    };
    uint32_t *last_reader = hy_plan_alloc(arena, graph->operand_count, sizeof *last_reader);
    if (!last_reader || !alloc_tables(graph, arena, &flow))
        return hy_fail(err, HY_OUT_OF_MEMORY, "flow between %u operations", graph->operation_count);

    memset(last_reader, 0xff, graph->operand_count * sizeof *last_reader);
    describe_operands(graph, &flow);
    for (uint32_t i = 0; i < graph->operation_count; i++)
        list_operation(graph, i, last_reader, &flow);
    list_readers(&flow);
    *ret = flow;
    return HY_OK;
}
