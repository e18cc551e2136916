#include "runtime/execute/execution.h"

#include "common/operations/control_flow.h"
#include "runtime/compile/observer.h"
#include "runtime/execute/binding.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory_object.h"

#include <stdlib.h>

static const struct hy_subgraph *main_graph(const struct hy_execution *execution)
{
    return execution->compilation->plan->request.model->main;
}

/* ---- Life ------------------------------------------------------------------------------------ */

void hy_execution_discard(struct hy_execution *execution)
{
    if (!execution)
        return;
    hy_binding_destroy(execution->binding);
    free(execution->inputs);
    free(execution->outputs);
    free(execution->output_states);
    free(execution);
}

static struct hy_execution *make(const struct hy_subgraph *graph, struct hy_error *err)
{
    struct hy_execution *execution = calloc(1, sizeof *execution);

    if (execution) {
        execution->input_count = graph->input_count;
        execution->output_count = graph->output_count;
        /* + 1, as calloc(0) may return NULL. */
        execution->inputs = calloc((size_t)graph->input_count + 1, sizeof *execution->inputs);
        execution->outputs = calloc((size_t)graph->output_count + 1, sizeof *execution->outputs);
        execution->output_states =
            calloc((size_t)graph->output_count + 1, sizeof *execution->output_states);
        if (execution->inputs && execution->outputs && execution->output_states)
            return execution;
    }
    hy_execution_discard(execution);
    hy_fail(err, HY_OUT_OF_MEMORY, "execution with %u inputs and %u outputs", graph->input_count,
            graph->output_count);
    return NULL;
}

/* Takes a pooled execution or allocates a new one, with a slot of the pool if one is free. */
static struct hy_execution *acquire(struct hy_compilation *compilation, struct hy_error *err)
{
    struct hy_execution_slot *slot = hy_execution_pool_acquire(&compilation->executions);
    struct hy_execution *execution = slot ? slot->execution : NULL;

    if (execution)
        return execution;
    execution = make(compilation->plan->request.model->main, err);
    if (execution && slot) {
        execution->slot = slot;
        slot->execution = execution;
    } else if (slot) {
        hy_execution_pool_give_back(slot);
    }
    return execution;
}

void hy_execution_set_cancelled(struct hy_execution *execution, bool cancelled)
{
    __atomic_store_n(&execution->cancelled, cancelled, __ATOMIC_RELAXED);
}

bool hy_execution_is_cancelled(const struct hy_execution *execution)
{
    return hy_is_cancelled(&execution->cancelled);
}

/* Resets everything but the binding. */
static void reset(struct hy_execution *execution)
{
    atomic_init(&execution->references, 1);
    atomic_init(&execution->state, HY_EXECUTION_PREPARING);
    execution->any_set = false;
    execution->padded = false;
    execution->reusable = false;
    execution->measure = false;
    execution->is_finalize_deferred = false;
    execution->is_checked = false;
    execution->has_domains = false;
    execution->has_dma_bufs = false;
    execution->timeout = 0;
    execution->loop_timeout = HY_LOOP_TIMEOUT_DEFAULT;
    execution->begun = 0;
    hy_execution_set_cancelled(execution, false);
}

enum hy_code hy_execution_create(struct hy_compilation *compilation, struct hy_execution **ret,
                                 struct hy_error *err)
{
    enum hy_code code = hy_compilation_check_finished(compilation, err);
    if (code != HY_OK)
        return code;

    struct hy_execution *execution = acquire(compilation, err);
    if (!execution)
        return HY_OUT_OF_MEMORY;
    reset(execution);
    execution->compilation = hy_compilation_retain(compilation);
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
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].counts_memory)
            hy_memory_release(arguments[i].memory);
        arguments[i].counts_memory = false;
        arguments[i].memory = NULL;
        arguments[i].is_set = false;
    }
}

/* Releases everything but the compilation's own. Drivers may hold the memory of a reusable; the CPU
 * backend holds only its own memory. */
static void give_up(struct hy_execution *execution)
{
    if ((execution->attributes.count > 0 || execution->has_domains) && execution->binding)
        hy_binding_invalidate(execution->binding, HY_BINDING_ALL);
    else if (execution->reusable && execution->binding)
        hy_binding_invalidate(execution->binding, HY_BINDING_OF_DRIVERS);
    release_memories(execution->inputs, execution->input_count);
    release_memories(execution->outputs, execution->output_count);
    if (execution->attributes.count > 0)
        hy_attributes_finish(&execution->attributes);
}

/* The only reference cannot race. */
static bool drop_reference(struct hy_execution *execution)
{
    if (atomic_load_explicit(&execution->references, memory_order_acquire) != 1)
        return atomic_fetch_sub_explicit(&execution->references, 1, memory_order_acq_rel) == 1;
    atomic_store_explicit(&execution->references, 0, memory_order_relaxed);
    return true;
}

void hy_execution_release(struct hy_execution *execution)
{
    if (!execution || !drop_reference(execution))
        return;
    struct hy_compilation *compilation = execution->compilation;

    give_up(execution);
    if (execution->slot)
        hy_execution_pool_give_back(execution->slot);
    else
        hy_execution_discard(execution);
    hy_compilation_release(compilation);
}

/* ---- Set-up ---------------------------------------------------------------------------------- */

enum hy_execution_state hy_execution_state(const struct hy_execution *execution)
{
    return (enum hy_execution_state)atomic_load_explicit(&execution->state, memory_order_acquire);
}

enum hy_code hy_execution_check_preparing(const struct hy_execution *execution,
                                          struct hy_error *err)
{
    if (hy_execution_state(execution) == HY_EXECUTION_PREPARING)
        return HY_OK;
    return hy_fail(err, HY_BAD_STATE, "the execution was started before");
}

enum hy_code hy_execution_set_padded(struct hy_execution *execution, bool padded,
                                     struct hy_error *err)
{
    enum hy_code code = hy_execution_check_preparing(execution, err);
    if (code != HY_OK)
        return code;
    if (execution->any_set)
        return hy_fail(err, HY_BAD_STATE, "an input or output was set before");
    execution->padded = padded;
    return HY_OK;
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

/* Changes PREPARING, or any completed state of a reusable execution, to COMPUTING. */
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

/* Before the first run. */
static enum hy_code prepare(struct hy_execution *execution, struct hy_error *err)
{
    enum hy_code code = check_all_set(execution, err);

    if (code == HY_OK && !execution->binding)
        code = hy_binding_create(execution->compilation->plan, &execution->binding, err);
    if (code == HY_OK && !execution->is_bound)
        code = hy_binding_fill(execution->binding, execution, err);
    if (code == HY_OK)
        hy_binding_set_options(execution->binding, execution->measure, execution->loop_timeout);
    execution->is_bound = code == HY_OK;
    execution->is_checked = code == HY_OK;
    return code;
}

enum hy_code hy_execution_begin(struct hy_execution *execution, enum hy_run_mode mode,
                                struct hy_error *err)
{
    enum hy_code code = enter_computing(execution, err);
    if (code != HY_OK)
        return code;
    execution->mode = mode;
    if (mode != HY_RUN_NESTED)
        execution->begun =
            hy_observer_begin(execution->compilation->observer, HY_OBSERVES_EXECUTIONS);
    if (!execution->is_checked)
        code = prepare(execution, err);
    if (code != HY_OK)
        hy_execution_end(execution, code);
    return code;
}

/* Marks memory from descriptors as readable, or as without contents. */
static void mark_outputs(struct hy_execution *execution, bool success)
{
    for (uint32_t i = 0; i < execution->output_count; i++) {
        struct hy_memory *memory = execution->outputs[i].memory;
        struct hy_domain *domain = memory ? hy_memory_domain(memory) : NULL;
        if (domain)
            hy_domain_note(domain, success, &execution->output_states[i].shape);
    }
}

void hy_execution_end(struct hy_execution *execution, enum hy_code code)
{
    if (execution->has_domains)
        mark_outputs(execution, code == HY_OK);
    if (execution->begun != 0)
        execution->compilation->observer->execution_ended(execution, code);
    if (!execution->is_finalize_deferred)
        hy_execution_finalize(execution, code);
}

static enum hy_execution_state final_state(enum hy_code code)
{
    if (code == HY_OK)
        return HY_EXECUTION_DONE;
    return code == HY_INSUFFICIENT_SIZE ? HY_EXECUTION_INSUFFICIENT : HY_EXECUTION_FAILED;
}

void hy_execution_finalize(struct hy_execution *execution, enum hy_code code)
{
    execution->is_finalize_deferred = false;
    atomic_store_explicit(&execution->state, final_state(code), memory_order_release);
}

void hy_execution_rewind(struct hy_execution *execution)
{
    atomic_store_explicit(&execution->state, HY_EXECUTION_PREPARING, memory_order_relaxed);
}

enum hy_code hy_execution_check_inputs(const struct hy_execution *execution, struct hy_error *err)
{
    for (uint32_t i = 0; execution->has_domains && i < execution->input_count; i++) {
        const struct hy_memory *memory = execution->inputs[i].memory;
        struct hy_domain *domain = memory ? hy_memory_domain(memory) : NULL;
        enum hy_code code = HY_OK;
        if (domain)
            code = hy_domain_check_readable(domain, &execution->inputs[i].shape, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "input %u", i);
    }
    return HY_OK;
}

enum hy_code hy_execution_check_outputs_known(const struct hy_execution *execution,
                                              struct hy_error *err)
{
    const struct hy_subgraph *graph = main_graph(execution);

    for (uint32_t i = 0; i < execution->output_count; i++) {
        struct hy_type_info type;
        const bool is_scalar =
            hy_type_info_find(graph->operands[graph->outputs[i]].type, &type) && type.is_scalar;
        if (!execution->outputs[i].is_omitted && !is_scalar &&
            !hy_shape_is_complete(&execution->outputs[i].shape))
            return hy_fail(err, HY_BAD_DATA, "the shape of output %u is not known", i);
    }
    return HY_OK;
}
