#include "runtime/execute/execution.h"

#include "runtime/execute/binding.h"
#include "runtime/extension/type_facts.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

static const struct hy_subgraph *main_graph(const struct hy_execution *execution)
{
    return hy_app_model_view(execution->compilation->model)->main;
}

static enum hy_code take_arguments(struct hy_execution *execution, struct hy_error *err)
{
    const struct hy_subgraph *graph = main_graph(execution);

    execution->input_count = graph->input_count;
    execution->output_count = graph->output_count;
    /* One more than needed: none of them is an error for calloc. */
    execution->inputs = calloc((size_t)graph->input_count + 1, sizeof *execution->inputs);
    execution->outputs = calloc((size_t)graph->output_count + 1, sizeof *execution->outputs);
    execution->output_states =
        calloc((size_t)graph->output_count + 1, sizeof *execution->output_states);
    if (!execution->inputs || !execution->outputs || !execution->output_states)
        return hy_fail(err, HY_OUT_OF_MEMORY, "execution with %u inputs and %u outputs",
                       graph->input_count, graph->output_count);
    return HY_OK;
}

enum hy_code hy_execution_create(struct hy_compilation *compilation, struct hy_execution **ret,
                                 struct hy_error *err)
{
    enum hy_code code = hy_compilation_check_finished(compilation, err);
    if (code != HY_OK)
        return code;

    struct hy_execution *execution = calloc(1, sizeof *execution);
    if (!execution)
        return hy_fail(err, HY_OUT_OF_MEMORY, "execution of %zu bytes", sizeof *execution);
    atomic_init(&execution->references, 1);
    atomic_init(&execution->state, HY_EXECUTION_PREPARING);
    execution->compilation = hy_compilation_retain(compilation);
    execution->loop_timeout = HY_LOOP_TIMEOUT_DEFAULT;
    code = take_arguments(execution, err);
    if (code != HY_OK) {
        hy_execution_release(execution);
        return code;
    }
    *ret = execution;
    return HY_OK;
}

struct hy_execution *hy_execution_retain(struct hy_execution *execution)
{
    atomic_fetch_add_explicit(&execution->references, 1, memory_order_relaxed);
    return execution;
}

static void release_memories(struct hy_bound_argument *arguments, uint32_t count)
{
    for (uint32_t i = 0; arguments && i < count; i++)
        hy_memory_release(arguments[i].memory);
    free(arguments);
}

void hy_execution_release(struct hy_execution *execution)
{
    if (!execution ||
        atomic_fetch_sub_explicit(&execution->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_binding_destroy(execution->binding);
    release_memories(execution->inputs, execution->input_count);
    release_memories(execution->outputs, execution->output_count);
    free(execution->output_states);
    hy_attributes_finish(&execution->attributes);
    hy_compilation_release(execution->compilation);
    free(execution);
}

enum hy_execution_state hy_execution_state(const struct hy_execution *execution)
{
    return (enum hy_execution_state)atomic_load_explicit(&execution->state, memory_order_acquire);
}

enum hy_code hy_execution_check_preparing(const struct hy_execution *execution,
                                          struct hy_error *err)
{
    if (hy_execution_state(execution) == HY_EXECUTION_PREPARING)
        return HY_OK;
    return hy_fail(err, HY_BAD_STATE, "the execution has been started already");
}

enum hy_code hy_execution_set_padded(struct hy_execution *execution, bool padded,
                                     struct hy_error *err)
{
    enum hy_code code = hy_execution_check_preparing(execution, err);
    if (code != HY_OK)
        return code;
    if (execution->any_set)
        return hy_fail(err, HY_BAD_STATE, "an input or output was set already");
    execution->padded = padded;
    return HY_OK;
}

/* The checks of the memory itself, or of the buffer's length, which come before "set already".
 * Memory from a descriptor may tell more of the shape. */
static enum hy_code check_source(const struct hy_argument_source *source,
                                 const struct hy_memory_role *role, struct hy_shape *shape,
                                 struct hy_error *err)
{
    const struct hy_domain *domain = source->memory ? hy_memory_domain(source->memory) : NULL;

    if (domain)
        return hy_domain_check_use(domain, role, source->offset, source->length, shape, err);
    if (source->memory)
        return hy_memory_check_range(source->memory, source->offset, source->length,
                                     role->is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ, err);
    if (source->length > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "length is %llu, at most %u",
                       (unsigned long long)source->length, UINT32_MAX);
    return HY_OK;
}

/* After all other checks: fills what the run needs. */
static enum hy_code fill_argument(const struct hy_execution *execution,
                                  const struct hy_operand *operand,
                                  const struct hy_argument_source *source,
                                  const struct hy_shape *shape, struct hy_bound_argument *argument,
                                  struct hy_error *err)
{
    const bool is_whole = source->memory && hy_memory_domain(source->memory);
    const uint64_t length = is_whole ? hy_memory_pool(source->memory)->size : source->length;
    struct hy_bound_argument filled = {.is_set = true, .shape = *shape};

    filled.is_omitted = !source->memory && !source->buffer;
    if (!filled.is_omitted) {
        enum hy_code code =
            hy_argument_check_length(operand, shape, length, execution->padded, &filled, err);
        if (code != HY_OK)
            return code;
    }
    filled.buffer = source->buffer;
    filled.offset = source->offset;
    filled.memory = source->memory ? hy_memory_retain(source->memory) : NULL;
    *argument = filled;
    return HY_OK;
}

static enum hy_code set_argument(struct hy_execution *execution, bool is_output, uint32_t index,
                                 const struct hy_argument_type *type,
                                 const struct hy_argument_source *source, struct hy_error *err)
{
    const struct hy_subgraph *graph = main_graph(execution);
    const struct hy_operand *operand =
        &graph->operands[is_output ? graph->outputs[index] : graph->inputs[index]];
    struct hy_bound_argument *argument =
        is_output ? &execution->outputs[index] : &execution->inputs[index];
    const struct hy_memory_role role = {execution->compilation->id, index, is_output};
    struct hy_shape shape;

    enum hy_code code = hy_argument_check_type(
        operand, type, !is_output && (source->memory || source->buffer), &shape, err);
    if (code == HY_OK)
        code = check_source(source, &role, &shape, err);
    if (code == HY_OK && argument->is_set)
        code = hy_fail(err, HY_BAD_STATE, "it was set already");
    if (code == HY_OK)
        code = fill_argument(execution, operand, source, &shape, argument, err);
    return code;
}

enum hy_code hy_execution_set(struct hy_execution *execution, bool is_output, uint32_t index,
                              const struct hy_argument_type *type,
                              const struct hy_argument_source *source, struct hy_error *err)
{
    const char *role = is_output ? "output" : "input";
    const uint32_t count = is_output ? execution->output_count : execution->input_count;
    enum hy_code code = hy_execution_check_preparing(execution, err);
    if (code != HY_OK)
        return code;

    execution->any_set = true;
    if (index >= count)
        return hy_fail(err, HY_BAD_DATA, "%s %u, the model has %u", role, index, count);
    code = set_argument(execution, is_output, index, type, source, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s %u", role, index);
}

static enum hy_code check_all_set(const struct hy_execution *execution, struct hy_error *err)
{
    for (uint32_t i = 0; i < execution->input_count; i++) {
        if (!execution->inputs[i].is_set)
            return hy_fail(err, HY_BAD_DATA, "input %u was never set", i);
    }
    for (uint32_t i = 0; i < execution->output_count; i++) {
        if (!execution->outputs[i].is_set)
            return hy_fail(err, HY_BAD_DATA, "output %u was never set", i);
    }
    return HY_OK;
}

/* PREPARING, or when reusable any completed state, becomes COMPUTING. */
static enum hy_code enter_computing(struct hy_execution *execution, struct hy_error *err)
{
    int state = atomic_load_explicit(&execution->state, memory_order_acquire);

    do {
        if (state == HY_EXECUTION_COMPUTING)
            return hy_fail(err, HY_BAD_STATE, "the execution is running");
        if (state != HY_EXECUTION_PREPARING && !execution->reusable)
            return hy_fail(err, HY_BAD_STATE, "the execution has run and is not reusable");
    } while (!atomic_compare_exchange_weak_explicit(&execution->state, &state,
                                                    HY_EXECUTION_COMPUTING, memory_order_acq_rel,
                                                    memory_order_acquire));
    return HY_OK;
}

enum hy_code hy_execution_begin(struct hy_execution *execution, struct hy_error *err)
{
    enum hy_code code = enter_computing(execution, err);
    if (code != HY_OK || execution->binding)
        return code;

    code = check_all_set(execution, err);
    if (code == HY_OK)
        code = hy_binding_create(execution, &execution->binding, err);
    if (code != HY_OK)
        hy_execution_abandon(execution);
    return code;
}

void hy_execution_abandon(struct hy_execution *execution)
{
    atomic_store_explicit(&execution->state, HY_EXECUTION_FAILED, memory_order_release);
}

enum hy_code hy_execution_check_inputs(const struct hy_execution *execution, struct hy_error *err)
{
    for (uint32_t i = 0; i < execution->input_count; i++) {
        const struct hy_memory *memory = execution->inputs[i].memory;
        const struct hy_domain *domain = memory ? hy_memory_domain(memory) : NULL;
        if (domain && !atomic_load(&domain->initialised))
            return hy_fail(err, HY_FAILED, "input %u: its memory holds nothing", i);
    }
    return HY_OK;
}

enum hy_code hy_execution_check_outputs_known(const struct hy_execution *execution,
                                              struct hy_error *err)
{
    const struct hy_subgraph *graph = main_graph(execution);

    for (uint32_t i = 0; i < execution->output_count; i++) {
        struct hy_type_facts type;
        const bool is_scalar =
            hy_type_facts_find(graph->operands[graph->outputs[i]].type, &type) && type.is_scalar;
        if (!execution->outputs[i].is_omitted && !is_scalar &&
            !hy_shape_is_complete(&execution->outputs[i].shape))
            return hy_fail(err, HY_BAD_DATA, "the shape of output %u is not known", i);
    }
    return HY_OK;
}
