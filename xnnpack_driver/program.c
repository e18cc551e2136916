#include "program.h"

#include "driver_kit/quota_memory.h"

#include <string.h>

/* Intermediates of our own that one operation may need, besides one for each of its inputs. */
#define SPARE_TENSORS 2u

static uint64_t tensor_room(const struct hy_subgraph *graph)
{
    uint64_t room = graph->operand_count;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        room += SPARE_TENSORS + (uint64_t)graph->operations[i].input_count;
    return room < UINT32_MAX ? room : 0;
}

struct xd_program *xd_program_create(const struct hy_host *host, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    const uint64_t arguments = (uint64_t)graph->input_count + graph->output_count;
    struct xd_program *program = hy_quota_zeros(host, 1, sizeof *program);
    if (!program)
        return NULL;
    program->host = host;

    program->tensor_room = (uint32_t)tensor_room(graph);
    program->tensors =
        hy_quota_zeros(host, (uint64_t)program->tensor_room + 1, sizeof *program->tensors);
    program->arguments = hy_quota_zeros(host, arguments + 1, sizeof *program->arguments);
    program->copies =
        hy_quota_zeros(host, (uint64_t)graph->output_count + 1, sizeof *program->copies);
    program->values = hy_quota_bytes(host, model->values_size + 1);
    if (!program->tensors || !program->arguments || !program->copies || !program->values ||
        program->tensor_room < graph->operand_count) {
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
    for (uint32_t i = 0; i < program->owned_count; i++)
        hy_quota_free(program->owned[i]);
    hy_quota_free(program->owned);
    hy_quota_free(program->tensors);
    hy_quota_free(program->nodes);
    hy_quota_free(program->arguments);
    hy_quota_free(program->copies);
    hy_quota_free(program->values);
    hy_quota_free(program);
}

struct xd_tensor *xd_program_add_tensor(struct xd_program *program)
{
    if (program->tensor_count == program->tensor_room)
        return NULL;
    struct xd_tensor *tensor = &program->tensors[program->tensor_count];
    *tensor = (struct xd_tensor){.lifetime = HY_LIFETIME_TEMPORARY,
                                 .argument = XD_NO_TENSOR,
                                 .writer = UINT32_MAX,
                                 .base = program->tensor_count};
    program->tensor_count++;
    return tensor;
}

/* Room for one more element; `*room` doubles. */
static void *grow(const struct hy_host *host, void *elements, size_t size, uint32_t count,
                  uint32_t *room)
{
    if (count < *room)
        return elements;
    const uint32_t wanted = *room ? 2 * *room : 16;
    void *grown = wanted > *room ? hy_quota_zeros(host, wanted, size) : NULL;
    if (!grown)
        return NULL;
    if (count > 0)
        memcpy(grown, elements, count * size);
    hy_quota_free(elements);
    *room = wanted;
    return grown;
}

struct xd_node *xd_program_add_node(struct xd_program *program)
{
    struct xd_node *nodes = grow(program->host, program->nodes, sizeof *nodes, program->node_count,
                                 &program->node_room);
    if (!nodes)
        return NULL;
    program->nodes = nodes;
    memset(&nodes[program->node_count], 0, sizeof *nodes);
    return &nodes[program->node_count++];
}

void *xd_program_allocate(struct xd_program *program, uint64_t bytes)
{
    void **owned = grow(program->host, program->owned, sizeof *owned, program->owned_count,
                        &program->owned_room);
    if (!owned)
        return NULL;
    program->owned = owned;
    void *memory = hy_quota_zeros(program->host, bytes + XNN_EXTRA_BYTES, 1);
    if (memory)
        owned[program->owned_count++] = memory;
    return memory;
}

uint32_t xd_tensor_index(const struct xd_program *program, const struct xd_tensor *tensor)
{
    return (uint32_t)(tensor - program->tensors);
}
