#include "tests/scenarios/graphs/graph.h"

#include "common/operations/operand_type.h"

#include <string.h>

struct graph *graph_make(struct hy_arena *arena)
{
    struct graph *graph = hy_arena_alloc(arena, sizeof *graph);
    if (!graph)
        return NULL;
    memset(graph, 0, sizeof *graph);
    graph->arena = arena;
    return graph;
}

uint32_t graph_elements(const struct graph_type *type)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->dims[i];
    return count;
}

size_t graph_bytes(const struct graph_type *type)
{
    return (size_t)graph_elements(type) * hy_operand_type_bytes(type->code);
}

static uint32_t add(struct graph *graph, const struct graph_operand *operand)
{
    if (graph->operand_count == GRAPH_OPERANDS_MAX) {
        graph->failed = true;
        return 0;
    }
    graph->operands[graph->operand_count] = *operand;
    return graph->operand_count++;
}

static uint32_t add_value(struct graph *graph, enum graph_role role, const struct graph_type *type,
                          const void *value)
{
    const struct graph_operand operand = {
        .type = *type,
        .role = role,
        .value = hy_arena_copy(graph->arena, value, graph_bytes(type), 1),
    };
    graph->failed |= !operand.value;
    return add(graph, &operand);
}

uint32_t graph_input(struct graph *graph, const struct graph_type *type, const void *value)
{
    return add_value(graph, GRAPH_INPUT, type, value);
}

uint32_t graph_constant(struct graph *graph, const struct graph_type *type, const void *value)
{
    return add_value(graph, GRAPH_CONSTANT, type, value);
}

static uint32_t add_scalar(struct graph *graph, int32_t code, const void *value)
{
    return graph_constant(graph, &(struct graph_type){.code = code}, value);
}

uint32_t graph_int(struct graph *graph, int32_t value)
{
    return add_scalar(graph, ANEURALNETWORKS_INT32, &value);
}

uint32_t graph_float(struct graph *graph, float value)
{
    return add_scalar(graph, ANEURALNETWORKS_FLOAT32, &value);
}

uint32_t graph_bool(struct graph *graph, bool value)
{
    return add_scalar(graph, ANEURALNETWORKS_BOOL, &(uint8_t){value});
}

uint32_t graph_half(struct graph *graph, uint16_t value)
{
    return add_scalar(graph, ANEURALNETWORKS_FLOAT16, &value);
}

uint32_t graph_ints(struct graph *graph, uint32_t count, const int32_t *values)
{
    const struct graph_type type = {
        .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 1, .dims = {count}};
    return graph_constant(graph, &type, values);
}

uint32_t graph_body(struct graph *graph, const struct graph *body)
{
    const struct graph_operand operand = {
        .type = {.code = ANEURALNETWORKS_MODEL}, .role = GRAPH_BODY, .body = body};
    graph->failed |= !body || body->failed;
    return add(graph, &operand);
}

uint32_t graph_result(struct graph *graph, const struct graph_type *type)
{
    return add(graph, &(struct graph_operand){.type = *type, .role = GRAPH_RESULT});
}

void graph_operation(struct graph *graph, int32_t code, uint32_t input_count,
                     const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
    struct graph_operation *operation = &graph->operations[graph->operation_count++];
    *operation = (struct graph_operation){code, input_count, output_count, {0}, {0}};
    memcpy(operation->inputs, inputs, input_count * sizeof *inputs);
    memcpy(operation->outputs, outputs, output_count * sizeof *outputs);
    for (uint32_t i = 0; i < input_count; i++)
        graph->operands[inputs[i]].is_read = true;
}
