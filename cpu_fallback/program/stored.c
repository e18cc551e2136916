#include "cpu_fallback/program/stored.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/operations/operation.h"

#define FILTER 1u
#define BIAS   2u

/* Whether kernels can take the filter as it is stored: a scale for each output channel, or one. */
static bool is_of_bytes(const struct hy_value *stored)
{
    if (stored->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return stored->channel_scales && stored->channel_dim == 0;
    return stored->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
}

static bool gives_filter(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation)
{
    if (operation->type != HY_OP_DEQUANTIZE || operation->is_dropped)
        return false;
    const struct hy_value *from = &graph->values[operation->inputs[0]];
    const struct hy_value *to = &graph->values[operation->outputs[0]];
    return graph->operands[operation->outputs[0]].lifetime == HY_LIFETIME_TEMPORARY && from->data &&
           is_of_bytes(from) && to->type == ANEURALNETWORKS_TENSOR_FLOAT32 && to->known &&
           hy_shape_equal(&from->shape, &to->shape);
}

/* [units, inputs], or [channels, 1, 1, inputs]. */
static bool has_one_tap(const struct hy_shape *filter)
{
    return filter->rank == 2 || (filter->rank == 4 && filter->dims[1] == 1 && filter->dims[2] == 1);
}

/* Whether operation `index` packs its filter when the model is compiled, and can pack bytes. */
static bool packs_bytes(const struct hy_cpu_graph *graph, uint32_t index)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);

    return (operation->type == HY_OP_CONV_2D || operation->type == HY_OP_FULLY_CONNECTED) &&
           hy_call_input(&call, BIAS)->data && has_one_tap(&hy_call_input(&call, FILTER)->shape) &&
           hy_call_output(&call, 0)->known && hy_cpu_call_is_ready(&call);
}

static bool has_any(const struct hy_cpu_graph *graph)
{
    for (uint32_t i = 0; i < graph->operation_count; i++)
        if (gives_filter(graph, &graph->operations[i]))
            return true;
    return false;
}

/* Notes in `is_read` the operands that something else reads than filters are read by. */
static void note_other_reads(const struct hy_cpu_graph *graph, bool *is_read)
{
    for (uint32_t index = 0; index < graph->operation_count; index++) {
        const struct hy_cpu_operation *operation = &graph->operations[index];
        if (operation->is_dropped)
            continue;
        const bool packs = packs_bytes(graph, index);
        for (uint32_t i = 0; i < operation->input_count; i++)
            is_read[operation->inputs[i]] |= !packs || i != FILTER;
    }
}

static void keep(struct hy_cpu_program *program, struct hy_cpu_operation *dequantize)
{
    const uint32_t made = dequantize->outputs[0];

    program->stored[made] = dequantize->inputs[0];
    program->graph.operands[made].is_constant = true;
    dequantize->is_dropped = true;
    program->folded++;
}

enum hy_code hy_cpu_keep_stored(struct hy_cpu_program *program, struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;
    const size_t count = graph->operand_count;

    if (!program->kernels->hybrid_conv.run || !program->has_fixed_shapes || !has_any(graph))
        return HY_OK;
    struct hy_arena memory = hy_cpu_arena(program->host);
    bool *is_read = hy_arena_alloc(&memory, count * sizeof *is_read);
    program->stored = hy_arena_alloc(&graph->memory, count * sizeof *program->stored);
    if (is_read && program->stored) {
        memset(is_read, 0, count * sizeof *is_read);
        for (size_t i = 0; i < count; i++)
            program->stored[i] = HY_CPU_NO_OPERAND;
        note_other_reads(graph, is_read);
        for (uint32_t i = 0; i < graph->operation_count; i++) {
            struct hy_cpu_operation *operation = &graph->operations[i];
            if (gives_filter(graph, operation) && !is_read[operation->outputs[0]])
                keep(program, operation);
        }
    }
    const bool has_memory = is_read && program->stored;
    hy_arena_finish(&memory);
    return has_memory ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
}

const struct hy_value *hy_cpu_stored_filter(const struct hy_cpu_program *program, uint32_t index)
{
    const struct hy_cpu_operation *operation = &program->graph.operations[index];

    if (!program->stored || operation->input_count <= FILTER)
        return NULL;
    const uint32_t stored = program->stored[operation->inputs[FILTER]];
    return stored == HY_CPU_NO_OPERAND ? NULL : &program->graph.values[stored];
}
