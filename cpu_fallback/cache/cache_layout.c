#include "cpu_fallback/cache/cache_layout.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/inference/infer.h"
#include "cpu_fallback/cache/format.h"

/* Smaller values always go to the model cache. */
#define SMALL_BYTES 128u

/* The filter input of a convolution, which some kernels read unpacked, too. */
#define FILTER 1u

/* How an operand is read. */
#define READ     1u
#define STEERS   2u /* shapes or parameters follow from its value */
#define UNPACKED 4u /* read unpacked */

/* True if operation `index` reads this input only as packed weights. Only a model with a single
 * plan can be sure. */
static bool is_packed_input(const struct hy_cpu_prepared *prepared, uint32_t index, uint32_t input)
{
    const struct hy_cpu_program *program = &prepared->program;
    const struct hy_cpu_op *op = hy_cpu_op_find(program->graph.operations[index].type);
    const struct hy_cpu_packed *packed = hy_cpu_weights_peek(&program->weights[index]);

    return prepared->declared && op && hy_cpu_op_packs(op, input) && packed &&
           !(packed->reads_filter && input == FILTER);
}

static void note_reads(const struct hy_cpu_prepared *prepared, uint32_t index, uint8_t *reads)
{
    const struct hy_cpu_operation *operation = &prepared->program.graph.operations[index];

    for (uint32_t i = 0; i < operation->input_count; i++) {
        uint8_t *read = &reads[operation->inputs[i]];
        *read |= READ;
        if (hy_infer_needs_value(operation->type, i, operation->input_count))
            *read |= STEERS;
        if (!is_packed_input(prepared, index, i))
            *read |= UNPACKED;
    }
}

static bool is_computed_with(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return true;
    default:
        return false;
    }
}

static uint8_t storage_of(const struct hy_cpu_graph *graph, uint32_t operand, uint8_t reads)
{
    const struct hy_value *value = &graph->values[operand];

    if (graph->operands[operand].lifetime == HY_LIFETIME_SUBGRAPH)
        return HY_CPU_STORED_BODY;
    if (!graph->operands[operand].is_constant || !(reads & READ))
        return HY_CPU_STORED_NONE;
    if (!(reads & (UNPACKED | STEERS)))
        return HY_CPU_STORED_PACKED;
    if (reads & STEERS || !is_computed_with(value->type) ||
        hy_cpu_value_bytes(value) <= SMALL_BYTES)
        return HY_CPU_STORED_VALUES;
    return HY_CPU_STORED_DATA;
}

uint8_t *hy_cpu_cache_layout(const struct hy_cpu_prepared *prepared, struct hy_arena *memory)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    uint8_t *storage_kinds = hy_arena_alloc(memory, graph->operand_count + (size_t)1);

    if (!storage_kinds)
        return NULL;
    memset(storage_kinds, 0, graph->operand_count);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!graph->operations[i].is_dropped)
            note_reads(prepared, i, storage_kinds);
    }
    for (uint32_t i = 0; i < graph->operand_count; i++)
        storage_kinds[i] = storage_of(graph, i, storage_kinds[i]);
    return storage_kinds;
}
