#include "cpu_fallback/program/context.h"

#include <string.h>

/* Allocates a zeroed array that lives as long as the context. */
static void *make_array(struct hy_cpu_context *context, size_t count, size_t size)
{
    void *array = hy_arena_alloc(&context->memory, count * size);

    if (array)
        memset(array, 0, count * size);
    return array;
}

void hy_cpu_context_destroy(struct hy_cpu_context *context)
{
    if (!context)
        return;
    for (uint32_t i = 0; context->dynamic && i < context->operation_count; i++)
        hy_cpu_dynamic_step_finish(&context->dynamic[i]);
    for (uint32_t i = 0; context->spills && i < context->operand_count; i++)
        hy_cpu_block_finish(&context->spills[i]);
    hy_cpu_block_finish(&context->arena);
    hy_cpu_block_finish(&context->scratch);
    hy_cpu_plan_destroy(context->own_plan);
    hy_cpu_free(context->mappings);
    hy_arena_finish(&context->memory);
    hy_cpu_free(context);
}

struct hy_cpu_context *hy_cpu_context_create(const struct hy_cpu_graph *graph)
{
    struct hy_cpu_context *context = hy_cpu_calloc(graph->host, 1, sizeof *context);

    if (!context)
        return NULL;
    context->host = graph->host;
    context->memory = hy_cpu_arena(graph->host);
    context->operand_count = graph->operand_count;
    context->operation_count = graph->operation_count;
    context->values = make_array(context, graph->operand_count, sizeof *context->values);
    context->calls = make_array(context, graph->operation_count, sizeof *context->calls);
    context->inputs = make_array(context, graph->input_count, sizeof *context->inputs);
    context->input_data = make_array(context, graph->input_count, sizeof *context->input_data);
    context->targets = make_array(context, graph->output_count, sizeof *context->targets);
    if (!context->values || !context->calls || !context->inputs || !context->input_data ||
        !context->targets) {
        hy_cpu_context_destroy(context);
        return NULL;
    }
    for (uint32_t i = 0; i < graph->operation_count; i++)
        context->calls[i] = hy_cpu_graph_call(graph, i, context->values);
    return context;
}

/* Reads the flag first: an exchange on a slot in use would only move its cache line. */
static bool claim(struct hy_cpu_context_slot *slot)
{
    return !atomic_load_explicit(&slot->is_used, memory_order_relaxed) &&
           !atomic_exchange_explicit(&slot->is_used, true, memory_order_acquire);
}

static void give_back(struct hy_cpu_context_slot *slot)
{
    atomic_store_explicit(&slot->is_used, false, memory_order_release);
}

struct hy_cpu_context *hy_cpu_context_acquire(struct hy_cpu_context_pool *pool,
                                              const struct hy_cpu_graph *graph)
{
    for (uint32_t i = 0; i < HY_CPU_CONTEXTS; i++) {
        struct hy_cpu_context_slot *slot = &pool->slots[i];
        if (!claim(slot))
            continue;
        if (!slot->context)
            slot->context = hy_cpu_context_create(graph);
        if (!slot->context) {
            give_back(slot);
            return NULL;
        }
        slot->context->slot = slot;
        slot->context->pools = NULL;
        return slot->context;
    }
    return hy_cpu_context_create(graph);
}

void hy_cpu_context_release(struct hy_cpu_context *context)
{
    if (context->slot)
        give_back(context->slot);
    else
        hy_cpu_context_destroy(context);
}

void hy_cpu_context_detach(struct hy_cpu_context *context)
{
    struct hy_cpu_context_slot *slot = context->slot;

    if (!slot)
        return;
    slot->context = NULL;
    context->slot = NULL;
    give_back(slot);
}

void hy_cpu_context_pool_finish(struct hy_cpu_context_pool *pool)
{
    for (uint32_t i = 0; i < HY_CPU_CONTEXTS; i++) {
        hy_cpu_context_destroy(pool->slots[i].context);
        pool->slots[i].context = NULL;
    }
}

/* True if the memory of the host is large enough; the context then uses it. */
static bool use_given_memory(struct hy_cpu_context *context, const struct hy_cpu_plan *plan)
{
    const uint64_t need = hy_cpu_plan_memory(plan);

    if (need == 0 || context->given.size < need)
        return false;
    context->tensors = context->given.bytes;
    context->work = context->tensors + plan->arena.total;
    return true;
}

static enum hy_code use_own_memory(struct hy_cpu_context *context, const struct hy_cpu_plan *plan,
                                   struct hy_error *err)
{
    /* One more byte gives a step without scratch an address. */
    if (!hy_cpu_block_reserve(context->host, &context->arena, plan->arena.total + 1) ||
        !hy_cpu_block_reserve(context->host, &context->scratch, plan->scratch_size + 1))
        return hy_fail(err, HY_OUT_OF_MEMORY,
                       "no memory for %zu bytes of tensors and %zu of scratch", plan->arena.total,
                       plan->scratch_size);
    context->tensors = context->arena.bytes;
    context->work = context->scratch.bytes;
    return HY_OK;
}

/* Allocates the dynamic steps, which most plans do not have. */
static enum hy_code make_dynamic_steps(struct hy_cpu_context *context,
                                       const struct hy_cpu_plan *plan, struct hy_error *err)
{
    if (plan->dynamic_count > 0 && !context->dynamic)
        context->dynamic = make_array(context, context->operation_count, sizeof *context->dynamic);
    return plan->dynamic_count == 0 || context->dynamic
               ? HY_OK
               : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
}

enum hy_code hy_cpu_context_bind(struct hy_cpu_context *context, const struct hy_cpu_plan *plan,
                                 struct hy_error *err)
{
    const uint8_t *before = context->plan == plan ? context->tensors : NULL;

    if (before && context->given.size == 0 && before == context->arena.bytes)
        return HY_OK;
    context->plan = NULL;
    enum hy_code code = make_dynamic_steps(context, plan, err);
    if (code == HY_OK && !use_given_memory(context, plan))
        code = use_own_memory(context, plan, err);
    if (code != HY_OK)
        return code;
    context->plan = plan;
    if (before == context->tensors)
        return HY_OK;
    memcpy(context->values, plan->values, context->operand_count * sizeof *context->values);
    for (uint32_t i = 0; i < context->operand_count; i++) {
        if (plan->offsets[i] != HY_CPU_NO_OFFSET)
            context->values[i].data = context->tensors + plan->offsets[i];
    }
    return HY_OK;
}

struct hy_cpu_block *hy_cpu_context_spill(struct hy_cpu_context *context, uint32_t operand,
                                          size_t bytes)
{
    if (!context->spills)
        context->spills = make_array(context, context->operand_count, sizeof *context->spills);
    if (!context->spills || !hy_cpu_block_reserve(context->host, &context->spills[operand], bytes))
        return NULL;
    return &context->spills[operand];
}

bool hy_cpu_context_set_cached_weights(struct hy_cpu_context *context, uint32_t operand,
                                       struct hy_cpu_cached_weights_ref weights)
{
    if (!context->cached_weights)
        context->cached_weights =
            make_array(context, context->operand_count, sizeof *context->cached_weights);
    if (context->cached_weights)
        context->cached_weights[operand] = weights;
    return context->cached_weights;
}
