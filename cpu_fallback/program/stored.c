#include "cpu_fallback/program/stored.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/inference/infer.h"
#include "common/operations/operation.h"

#define FILTER 1u
#define BIAS   2u

static bool is_of_bytes(const struct hy_value *stored)
{
    if (stored->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return stored->channel_scales;
    return stored->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
}

/* True for a DEQUANTIZE to float32 with a declared shape. */
static bool dequantises(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation)
{
    if (operation->type != HY_OP_DEQUANTIZE || operation->is_dropped)
        return false;
    const struct hy_value *from = &graph->values[operation->inputs[0]];
    const struct hy_value *to = &graph->values[operation->outputs[0]];
    return graph->operands[operation->outputs[0]].lifetime == HY_LIFETIME_TEMPORARY &&
           to->type == ANEURALNETWORKS_TENSOR_FLOAT32 && from->known && to->known &&
           hy_shape_equal(&from->shape, &to->shape);
}

static bool gives_filter(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation)
{
    if (!dequantises(graph, operation))
        return false;
    const struct hy_value *from = &graph->values[operation->inputs[0]];
    return from->data && is_of_bytes(from);
}

static bool is_convolution(int32_t type)
{
    return type == HY_OP_CONV_2D || type == HY_OP_DEPTHWISE_CONV_2D ||
           type == HY_OP_FULLY_CONNECTED;
}

/* True if the input is the filter of operation `index` and the operation packs it at compile
 * time. */
static bool packs_filter(const struct hy_cpu_graph *graph, uint32_t index, uint32_t input)
{
    const struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);

    return input == FILTER && is_convolution(call.operation) && hy_call_input(&call, BIAS)->data &&
           hy_call_output(&call, 0)->known && hy_cpu_call_is_ready(&call);
}

/* Marks in `is_read` every operand with a reader that `reads` refuses. `reads` decides for input
 * `input` of operation `index`. */
static void note_other_reads(const struct hy_cpu_graph *graph,
                             bool (*reads)(const struct hy_cpu_graph *graph, uint32_t index,
                                           uint32_t input),
                             bool *is_read)
{
    for (uint32_t index = 0; index < graph->operation_count; index++) {
        const struct hy_cpu_operation *operation = &graph->operations[index];
        for (uint32_t i = 0; i < operation->input_count && !operation->is_dropped; i++)
            is_read[operation->inputs[i]] |= !reads(graph, index, i);
    }
}

/* ---- A pass over all DEQUANTIZEs ------------------------------------------------------------- */

struct pass {
    bool (*gives)(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation);
    bool (*reads)(const struct hy_cpu_graph *graph, uint32_t index, uint32_t input);
    void (*apply)(struct hy_cpu_program *program, struct hy_cpu_operation *dequantize);
};

static bool has_any(const struct hy_cpu_graph *graph, const struct pass *pass)
{
    for (uint32_t i = 0; i < graph->operation_count; i++)
        if (pass->gives(graph, &graph->operations[i]))
            return true;
    return false;
}

static bool make_stored(struct hy_cpu_graph *graph)
{
    if (graph->stored)
        return true;
    graph->stored = hy_arena_alloc(&graph->memory, graph->operand_count * sizeof *graph->stored);
    for (uint32_t i = 0; graph->stored && i < graph->operand_count; i++)
        graph->stored[i] = HY_CPU_NO_OPERAND;
    return graph->stored;
}

static enum hy_code run_pass(struct hy_cpu_program *program, const struct pass *pass,
                             struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;

    if (!program->has_fixed_shapes || !has_any(graph, pass))
        return HY_OK;
    struct hy_arena memory = hy_cpu_arena(program->host);
    bool *is_read = hy_arena_alloc(&memory, graph->operand_count);
    const bool has_memory = is_read && make_stored(graph);
    if (has_memory) {
        memset(is_read, 0, graph->operand_count);
        note_other_reads(graph, pass->reads, is_read);
    }
    for (uint32_t i = 0; i < graph->operation_count && has_memory; i++) {
        struct hy_cpu_operation *operation = &graph->operations[i];
        if (!pass->gives(graph, operation) || is_read[operation->outputs[0]])
            continue;
        graph->stored[operation->outputs[0]] = operation->inputs[0];
        pass->apply(program, operation);
    }
    hy_arena_finish(&memory);
    return has_memory ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
}

/* ---- Filters --------------------------------------------------------------------------------- */

static void drop(struct hy_cpu_program *program, struct hy_cpu_operation *dequantize)
{
    program->graph.operands[dequantize->outputs[0]].is_constant = true;
    dequantize->is_dropped = true;
    program->folded++;
}

enum hy_code hy_cpu_use_stored_filters(struct hy_cpu_program *program, struct hy_error *err)
{
    static const struct pass filters = {gives_filter, packs_filter, drop};

    return run_pass(program, &filters, err);
}

const struct hy_value *hy_cpu_stored_filter(const struct hy_cpu_graph *graph, uint32_t index)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];

    if (operation->input_count <= FILTER)
        return NULL;
    const uint32_t stored = hy_cpu_graph_stored(graph, operation->inputs[FILTER]);
    return stored == HY_CPU_NO_OPERAND || !graph->values[stored].data ? NULL
                                                                      : &graph->values[stored];
}

/* ---- Boxes and anchors ----------------------------------------------------------------------- */

static bool gives_rows(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation)
{
    if (!dequantises(graph, operation))
        return false;
    const int32_t type = graph->values[operation->inputs[0]].type;
    return (type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
            type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED) &&
           !graph->operands[operation->outputs[0]].is_constant;
}

static bool reads_rows(const struct hy_cpu_graph *graph, uint32_t index, uint32_t input)
{
    const struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);

    return call.operation == HY_OP_DETECTION_POSTPROCESSING && (input == 1 || input == 2) &&
           hy_cpu_call_is_ready(&call);
}

static void absorb(struct hy_cpu_program *program, struct hy_cpu_operation *dequantize)
{
    (void)program;
    dequantize->is_absorbed = true;
}

enum hy_code hy_cpu_read_stored(struct hy_cpu_program *program, struct hy_error *err)
{
    static const struct pass rows = {gives_rows, reads_rows, absorb};
    const struct hy_cpu_graph *graph = &program->graph;

    for (uint32_t i = 0; i < graph->operation_count; i++)
        if (hy_infer_gives_limits(graph->operations[i].type))
            return HY_OK; /* the number of rows may be known only at run time */
    return run_pass(program, &rows, err);
}
