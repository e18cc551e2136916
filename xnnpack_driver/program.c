#include "program.h"

#include "driver_kit/quota_memory.h"

#include <string.h>

/* Intermediates of our own that one operation may need, besides one for each of its inputs. */
#define EXTRA_TENSORS 2u

static uint64_t tensor_capacity(const struct hy_subgraph *graph)
{
    uint64_t capacity = graph->operand_count;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        capacity += EXTRA_TENSORS + (uint64_t)graph->operations[i].input_count;
    return capacity < UINT32_MAX ? capacity : 0;
}

struct xd_program *xd_program_create(const struct hy_host *host, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    const uint64_t arguments = (uint64_t)graph->input_count + graph->output_count;
    struct xd_program *program = hy_quota_zeros(host, 1, sizeof *program);
    if (!program)
        return NULL;
    program->host = program->memory.host = host;

    struct hy_quota_arena *memory = &program->memory;
    program->tensor_capacity = (uint32_t)tensor_capacity(graph);
    program->tensors =
        hy_quota_arena_zeros(memory, program->tensor_capacity, sizeof *program->tensors);
    program->arguments = hy_quota_arena_zeros(memory, arguments, sizeof *program->arguments);
    program->copies = hy_quota_arena_zeros(memory, graph->output_count, sizeof *program->copies);
    program->values = hy_quota_arena_zeros(memory, model->values_size, 1);
    if (!program->tensors || !program->arguments || !program->copies || !program->values ||
        program->tensor_capacity < graph->operand_count) {
        xd_program_destroy(program);
        return NULL;
    }
    if (model->values_size > 0)
        memcpy(program->values, model->values, model->values_size);
    return program;
}

void xd_program_destroy(struct xd_program *program)
{
    if (!program)
        return;
    hy_quota_arena_free(&program->memory);
    hy_quota_free(program);
}

struct xd_tensor *xd_program_add_tensor(struct xd_program *program)
{
    if (program->tensor_count == program->tensor_capacity)
        return NULL;
    struct xd_tensor *tensor = &program->tensors[program->tensor_count];
    *tensor = (struct xd_tensor){.lifetime = HY_LIFETIME_TEMPORARY,
                                 .argument = XD_NO_TENSOR,
                                 .writer = UINT32_MAX,
                                 .base = program->tensor_count};
    program->tensor_count++;
    return tensor;
}

/* Twice the room for nodes. */
static bool grow(struct xd_program *program)
{
    const uint32_t capacity = program->node_capacity ? 2 * program->node_capacity : 16;
    struct xd_node *nodes = NULL;
    if (capacity > program->node_capacity)
        nodes = hy_quota_arena_zeros(&program->memory, capacity, sizeof *nodes);
    if (!nodes)
        return false;
    if (program->node_count > 0)
        memcpy(nodes, program->nodes, program->node_count * sizeof *nodes);
    program->nodes = nodes;
    program->node_capacity = capacity;
    return true;
}

struct xd_node *xd_program_add_node(struct xd_program *program)
{
    if (program->node_count == program->node_capacity && !grow(program))
        return NULL;
    return &program->nodes[program->node_count++];
}

void *xd_program_allocate(struct xd_program *program, uint64_t bytes)
{
    return hy_quota_arena_zeros(&program->memory, bytes + XNN_EXTRA_BYTES, 1);
}

uint32_t xd_tensor_index(const struct xd_program *program, const struct xd_tensor *tensor)
{
    return (uint32_t)(tensor - program->tensors);
}
