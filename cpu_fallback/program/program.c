#include "cpu_fallback/program/program.h"
#include "cpu_fallback/run/execution_limits.h"

#include <string.h>

#include "common/operations/operation.h"
#include "cpu_fallback/ops/conv/conv_hybrid.h"
#include "cpu_fallback/ops/conv/conv_row.h"
#include "cpu_fallback/program/fold.h"
#include "cpu_fallback/program/fuse.h"
#include "cpu_fallback/program/stored.h"
#include "cpu_fallback/program/support.h"

static enum hy_code check_operations(const struct hy_cpu_program *program,
                                     const struct hy_cpu_source *source, struct hy_error *err)
{
    for (uint32_t i = 0; i < program->graph.operation_count; i++) {
        if (program->graph.operations[i].is_dropped)
            continue;
        enum hy_code code = hy_cpu_operation_check(&program->graph, source, i, err);
        if (code != HY_OK)
            return hy_cpu_program_annotate_error(&program->graph, i, code, err);
    }
    return HY_OK;
}

static enum hy_code make_weights(struct hy_cpu_program *program, struct hy_error *err)
{
    const size_t bytes = program->graph.operation_count * sizeof *program->weights;

    program->weights = hy_arena_alloc(&program->graph.memory, bytes);
    if (!program->weights)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
    memset(program->weights, 0, bytes);
    for (uint32_t i = 0; i < program->graph.operation_count; i++)
        program->weights[i].host = program->host;
    return HY_OK;
}

/* Applies the counts and packed weights of the image, in place of folding and packing. */
static enum hy_code apply_compiled_view(struct hy_cpu_program *program,
                                        const struct hy_cpu_compiled_view *compiled_view,
                                        struct hy_error *err)
{
    program->folded = compiled_view->folded_count;
    program->dropped = compiled_view->dropped_count;
    for (uint32_t i = 0; i < program->graph.operation_count; i++) {
        if (!compiled_view->packed[i])
            continue;
        struct hy_cpu_packed *packed =
            hy_arena_copy(&program->graph.memory, compiled_view->packed[i], 1, sizeof *packed);
        if (!packed)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
        atomic_init(&program->weights[i].packed, packed);
    }
    return HY_OK;
}

static bool has_fixed_shapes(const struct hy_cpu_graph *graph)
{
    bool all = true;

    for (uint32_t i = 0; i < graph->input_count; i++)
        all = all && graph->values[graph->inputs[i]].known;
    return all;
}

/* Bytes of the constants that operation `index` packs. */
static uint64_t packed_constants(const struct hy_cpu_program *program, uint32_t index)
{
    const struct hy_cpu_graph *graph = &program->graph;
    const struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const struct hy_cpu_op *op = hy_cpu_op_find(operation->type);
    const struct hy_value *stored = hy_cpu_stored_filter(graph, index);
    uint64_t bytes = 0;

    if (operation->is_dropped || !hy_cpu_graph_can_pack(graph, index) ||
        hy_conv_row_is_likely(program->kernels, &call))
        return 0;
    if (stored)
        bytes = hy_conv_hybrid_packed_bytes(program->kernels, operation->type, stored);
    for (uint32_t i = 0; i < operation->input_count; i++) {
        const struct hy_value *value = &graph->values[operation->inputs[i]];
        if (hy_cpu_op_packs(op, i) && value->data)
            bytes += hy_cpu_value_bytes(value);
    }
    return bytes;
}

/* Weights below this size get small pages, because a large page is allocated as a whole until
 * packing ends. */
#define LEAST_ARENA (HY_CPU_LARGE_PAGE / 2)

/* Reserves the room for packed weights. Their size is about that of the constants, except for
 * Winograd kernels. Small totals, and weights that do not fit, have their own allocations. */
static void reserve_weights(struct hy_cpu_program *program)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < program->graph.operation_count; i++)
        bytes += packed_constants(program, i);
    bytes += bytes / 16;
    const size_t size = bytes <= SIZE_MAX ? hy_cpu_large_size((size_t)bytes) : 0;
    if (bytes < LEAST_ARENA || size < HY_CPU_LARGE_PAGE ||
        !hy_cpu_block_reserve(program->host, &program->weights_arena.block, size))
        return;
    for (uint32_t i = 0; i < program->graph.operation_count; i++)
        program->weights[i].weights_arena = &program->weights_arena;
}

/* Fuses, keeps stored filters and folds. The reference device runs the model as it is, except for
 * folding. An image has been simplified before. */
static enum hy_code simplify(struct hy_cpu_program *program, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (program->kernels != hy_kernels_reference())
        code = hy_cpu_fuse(program, err);
    if (code == HY_OK && program->kernels != hy_kernels_reference())
        code = hy_cpu_use_stored_filters(program, err);
    return code == HY_OK ? hy_cpu_fold(program, err) : code;
}

enum hy_code hy_cpu_program_init(struct hy_cpu_program *program, const struct hy_cpu_source *source,
                                 const struct hy_host *host, const struct hy_kernel_table *kernels,
                                 uint32_t threads, struct hy_error *err)
{
    const struct hy_cpu_compiled_view *compiled_view = source->compiled_view;

    *program = (struct hy_cpu_program){.host = host,
                                       .kernels = kernels,
                                       .threads = threads,
                                       .l2_bytes = source->l2_bytes,
                                       .bodies = source->bodies};
    enum hy_code code = hy_cpu_graph_init(&program->graph, source->model, source->view, host, err);
    if (code != HY_OK)
        return code;

    program->has_fixed_shapes = has_fixed_shapes(&program->graph);
    if (compiled_view)
        code = hy_cpu_compiled_view_apply(compiled_view, &program->graph, err);
    if (code == HY_OK)
        code = check_operations(program, source, err);
    if (code == HY_OK)
        code = make_weights(program, err);
    if (code == HY_OK)
        code = compiled_view ? apply_compiled_view(program, compiled_view, err)
                             : simplify(program, err);
    if (code == HY_OK && kernels != hy_kernels_reference())
        code = hy_cpu_read_stored(program, err);
    if (code == HY_OK && !compiled_view)
        reserve_weights(program);
    if (code != HY_OK)
        hy_cpu_program_finish(program);
    return code;
}

void hy_cpu_program_finish(struct hy_cpu_program *program)
{
    for (uint32_t i = 0; program->weights && i < program->graph.operation_count; i++)
        hy_cpu_weights_finish(&program->weights[i]);
    hy_cpu_block_finish(&program->weights_arena.block);
    for (uint32_t i = 0; program->folded_values && i < program->graph.operand_count; i++)
        hy_cpu_free(program->folded_values[i]);
    hy_cpu_free(program->folded_values);
    hy_cpu_graph_finish(&program->graph);
    *program = (struct hy_cpu_program){0};
}

void hy_cpu_program_release_folded(struct hy_cpu_program *program, uint32_t operand)
{
    if (!program->folded_values || !program->folded_values[operand])
        return;
    hy_cpu_free_pages(program->folded_values[operand],
                      hy_cpu_value_bytes(&program->graph.values[operand]));
    program->folded_values[operand] = NULL;
    program->graph.values[operand].data = NULL;
}

enum hy_code hy_cpu_program_resolve(const struct hy_cpu_program *program, uint32_t index,
                                    const struct hy_call *call,
                                    const struct hy_cpu_blocking *blocking, struct hy_arena *memory,
                                    struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_cpu_resolve_ctx ctx = {
        .host = program->host,
        .call = call,
        .kernels = program->kernels,
        .reference = hy_kernels_reference(),
        .memory = memory,
        .weights = hy_cpu_graph_can_pack(&program->graph, index) ? &program->weights[index] : NULL,
        .stored_filter = hy_cpu_stored_filter(&program->graph, index),
        .stored =
            call->inputs == program->graph.operations[index].inputs ? program->graph.stored : NULL,
        .has_fixed_shapes = program->has_fixed_shapes,
        .threads = program->threads,
        .l2_bytes = program->l2_bytes,
        .blocking = blocking,
    };
    struct hy_cpu_step resolved = {.op = hy_cpu_op_find(call->operation)};

    enum hy_code code = hy_cpu_check_wanted(err);
    if (code == HY_OK)
        code = resolved.op->resolve(&ctx, &resolved, err);
    if (code == HY_OK && blocking && !resolved.blockings)
        code = hy_fail(err, HY_FAILED, "the work has only one blocking");
    if (code == HY_OK)
        *step = resolved;
    return code;
}

enum hy_code hy_cpu_program_annotate_error(const struct hy_cpu_graph *graph, uint32_t index,
                                           enum hy_code code, struct hy_error *err)
{
    return hy_error_prefix(err, code, "operation %u %s", index,
                           hy_operation_name(graph->operations[index].type));
}
