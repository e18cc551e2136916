#include "cpu_fallback/program/fold.h"

#include <string.h>

#include "common/inference/infer.h"
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/run/execution_limits.h"

/* The most bytes of folded constants. Operations beyond the limit run in every execution. */
#define FOLD_LIMIT ((uint64_t)1 << 30)

/* From this size on, a dequantized constant is not folded unless needed: its memory would stay
 * allocated, and DEQUANTIZE is fast. */
#define LEAST_LASTING_BYTES ((uint64_t)65536)

/* True if the operation draws random numbers. */
static bool draws(int32_t operation)
{
    return operation == HY_OP_RANDOM_MULTINOMIAL || operation == HY_EXT_MULTINOMIAL ||
           operation == HY_EXT_RANDOM_UNIFORM || operation == HY_EXT_RANDOM_NORMAL;
}

/* Per operand: whether it depends on inputs of the model, and whether a packing or folded operation
 * reads it. */
struct reads {
    bool *varies, *is_wanted;
};

static bool varies(const struct hy_cpu_operation *operation, const bool *operands)
{
    bool any = draws(operation->type) || hy_infer_gives_limits(operation->type);

    for (uint32_t i = 0; i < operation->input_count; i++)
        any |= operands[operation->inputs[i]];
    return any;
}

static bool note_reads(const struct hy_cpu_graph *graph, struct hy_arena *memory,
                       struct reads *reads)
{
    reads->varies = hy_arena_alloc(memory, graph->operand_count);
    reads->is_wanted = hy_arena_alloc(memory, graph->operand_count);
    if (!reads->varies || !reads->is_wanted)
        return false;
    memset(reads->is_wanted, 0, graph->operand_count);
    for (uint32_t i = 0; i < graph->operand_count; i++)
        reads->varies[i] = graph->operands[i].lifetime == HY_LIFETIME_INPUT;
    for (uint32_t index = 0; index < graph->operation_count; index++) {
        const struct hy_cpu_operation *operation = &graph->operations[index];
        const struct hy_cpu_op *op = hy_cpu_op_find(operation->type);
        const bool is_run = varies(operation, reads->varies);
        for (uint32_t i = 0; i < operation->output_count; i++)
            reads->varies[operation->outputs[i]] = is_run;
        for (uint32_t i = 0; i < operation->input_count; i++)
            reads->is_wanted[operation->inputs[i]] |= !is_run || (op && hy_cpu_op_packs(op, i));
    }
    return true;
}

/* True for a DEQUANTIZE of a large constant whose output is only read unpacked. */
static bool is_quick(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation,
                     const struct reads *reads)
{
    const struct hy_value *out = &graph->values[operation->outputs[0]];

    return operation->type == HY_OP_DEQUANTIZE && !reads->is_wanted[operation->outputs[0]] &&
           out->known && hy_cpu_value_bytes(out) >= LEAST_LASTING_BYTES;
}

static bool is_foldable(const struct hy_cpu_graph *graph, uint32_t index)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];

    if (operation->is_dropped || hy_infer_gives_limits(operation->type))
        return false;
    if (draws(operation->type))
        return false; /* new numbers in every run */
    for (uint32_t i = 0; i < operation->input_count; i++) {
        if (!graph->operands[operation->inputs[i]].is_constant &&
            !graph->values[operation->inputs[i]].omitted)
            return false;
    }
    for (uint32_t i = 0; i < operation->output_count; i++) {
        if (graph->operands[operation->outputs[i]].lifetime == HY_LIFETIME_OUTPUT)
            return false;
    }
    return true;
}

static uint64_t output_bytes(const struct hy_call *call)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < call->output_count; i++) {
        sum += hy_cpu_value_bytes(
            hy_call_output(call, i)); /* no overflow: fewer than 2^32 terms below 2^32 */
    }
    return sum;
}

/* Each constant has its own allocation, which is freed once the constant is packed. */
static enum hy_code make_constants(struct hy_cpu_program *program, const struct hy_call *call,
                                   struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;

    if (!program->folded_values)
        program->folded_values =
            hy_cpu_calloc(program->host, graph->operand_count, sizeof *program->folded_values);
    if (!program->folded_values)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u constants", graph->operand_count);
    for (uint32_t i = 0; i < call->output_count; i++) {
        struct hy_value *value = hy_call_output(call, i);
        uint64_t bytes = hy_cpu_value_bytes(value);
        value->data = hy_cpu_calloc(program->host, 1, bytes);
        if (!value->data)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a constant of %llu bytes",
                           (unsigned long long)bytes);
        program->folded_values[call->outputs[i]] = value->data;
        graph->operands[call->outputs[i]].is_constant = true;
    }
    return HY_OK;
}

static enum hy_code run_once(const struct hy_cpu_program *program, const struct hy_cpu_step *step,
                             const struct hy_call *call, struct hy_error *err)
{
    struct hy_cpu_block scratch = {0};

    if (!hy_cpu_block_reserve(program->host, &scratch, step->scratch + 1))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of scratch", step->scratch);
    const struct hy_cpu_work work = {
        .call = call, .params = step->params, .scratch = scratch.bytes, .host = program->host};
    enum hy_code code = step->op->run(&work, err);
    hy_cpu_block_finish(&scratch);
    return code;
}

/* Folds operation `index`, unless its results exceed `*room`. */
static enum hy_code fold_operation(struct hy_cpu_program *program, uint32_t index, uint64_t *budget,
                                   struct hy_arena *memory, struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;
    struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);
    struct hy_cpu_step step;

    enum hy_code code = hy_cpu_call_infer_shapes(&call, memory, err);
    if (code != HY_OK || hy_cpu_call_is_empty(&call))
        return code;
    uint64_t bytes = output_bytes(&call);
    if (bytes > *budget)
        return HY_OK;
    *budget -= bytes;
    code = hy_cpu_program_resolve(program, index, &call, NULL, memory, &step, err);
    if (code == HY_OK)
        code = make_constants(program, &call, err);
    if (code == HY_OK)
        code = run_once(program, &step, &call, err);
    if (code == HY_OK) {
        graph->operations[index].is_dropped = true;
        program->folded++;
    }
    return code;
}

/* Drops operations without readers. Goes backwards: an operation is needed if an output of the
 * model or a needed operation reads it. */
static enum hy_code drop_unread(struct hy_cpu_program *program, struct hy_arena *memory,
                                struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;
    bool *is_read = hy_arena_alloc(memory, graph->operand_count);

    if (!is_read)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
    memset(is_read, 0, graph->operand_count);
    for (uint32_t i = 0; i < graph->output_count; i++)
        is_read[graph->outputs[i]] = true;
    for (uint32_t index = graph->operation_count; index-- > 0;) {
        struct hy_cpu_operation *operation = &graph->operations[index];
        bool is_needed = false;
        for (uint32_t i = 0; i < operation->output_count; i++)
            is_needed |= is_read[operation->outputs[i]];
        if (operation->is_dropped)
            continue;
        if (!is_needed) {
            operation->is_dropped = true;
            program->dropped++;
            continue;
        }
        for (uint32_t i = 0; i < operation->input_count; i++)
            is_read[operation->inputs[i]] = true;
    }
    return HY_OK;
}

enum hy_code hy_cpu_fold(struct hy_cpu_program *program, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &program->graph;
    struct hy_arena memory = hy_cpu_arena(program->host);
    uint64_t budget = FOLD_LIMIT;
    struct reads reads;
    enum hy_code code = note_reads(graph, &memory, &reads)
                            ? HY_OK
                            : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");

    for (uint32_t i = 0; i < graph->operation_count && code == HY_OK; i++) {
        if (!is_foldable(graph, i) || is_quick(graph, &graph->operations[i], &reads))
            continue;
        code = fold_operation(program, i, &budget, &memory, err);
        if (code == HY_OK)
            code = hy_cpu_check_wanted(err); /* the kernel may have been cancelled */
        if (code != HY_OK)
            hy_cpu_program_annotate_error(graph, i, code, err);
    }
    if (code == HY_OK)
        code = drop_unread(program, &memory, err);
    hy_arena_finish(&memory);
    return code == HY_FAILED ? HY_BAD_DATA : code;
}
