#include "cpu_fallback/context.h"

#include <stdlib.h>
#include <string.h>

/* An array of zeros that lives as long as the context. */
static void *make_array(struct hy_cpu_context *context, size_t count, size_t size)
{
    void *array = hy_arena_alloc(&context->memory, count * size);

    if (array)
        memset(array, 0, count * size);
    return array;
}

static void destroy(struct hy_cpu_context *context)
{
    for (uint32_t i = 0; context->late && i < context->late_room; i++)
        hy_cpu_late_finish(&context->late[i]);
    for (uint32_t i = 0; context->spills && i < context->operand_count; i++)
        hy_cpu_block_finish(&context->spills[i]);
    hy_cpu_block_finish(&context->arena);
    hy_cpu_block_finish(&context->scratch);
    hy_cpu_plan_destroy(context->own_plan);
    free(context->mappings);
    hy_arena_finish(&context->memory);
    free(context);
}

static struct hy_cpu_context *create(const struct hy_cpu_graph *graph)
{
    struct hy_cpu_context *context = calloc(1, sizeof *context);

    if (!context)
        return NULL;
    context->operand_count = graph->operand_count;
    context->late_room = graph->operation_count;
    context->values = make_array(context, graph->operand_count, sizeof *context->values);
    context->late = make_array(context, graph->operation_count, sizeof *context->late);
    context->spills = make_array(context, graph->operand_count, sizeof *context->spills);
    context->inputs = make_array(context, graph->input_count, sizeof *context->inputs);
    context->input_data = make_array(context, graph->input_count, sizeof *context->input_data);
    context->targets = make_array(context, graph->output_count, sizeof *context->targets);
    if (!context->values || !context->late || !context->spills || !context->inputs ||
        !context->input_data || !context->targets) {
        destroy(context);
        return NULL;
    }
    return context;
}

struct hy_cpu_context *hy_cpu_context_acquire(struct hy_cpu_context_pool *pool,
                                              const struct hy_cpu_graph *graph)
{
    for (uint32_t i = 0; i < HY_CPU_CONTEXTS; i++) {
        /* Look before taking: an exchange on an empty slot would only move its cache line. */
        if (!atomic_load_explicit(&pool->slots[i], memory_order_relaxed))
            continue;
        struct hy_cpu_context *context =
            atomic_exchange_explicit(&pool->slots[i], NULL, memory_order_acquire);
        if (context)
            return context;
    }
    return create(graph);
}

void hy_cpu_context_release(struct hy_cpu_context_pool *pool, struct hy_cpu_context *context)
{
    for (uint32_t i = 0; i < HY_CPU_CONTEXTS; i++) {
        struct hy_cpu_context *empty = NULL;
        if (atomic_compare_exchange_strong_explicit(&pool->slots[i], &empty, context,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    destroy(context);
}

void hy_cpu_context_pool_finish(struct hy_cpu_context_pool *pool)
{
    for (uint32_t i = 0; i < HY_CPU_CONTEXTS; i++) {
        struct hy_cpu_context *context =
            atomic_exchange_explicit(&pool->slots[i], NULL, memory_order_acquire);
        if (context)
            destroy(context);
    }
}

enum hy_code hy_cpu_context_bind(struct hy_cpu_context *context, const struct hy_cpu_plan *plan,
                                 struct hy_error *err)
{
    if (context->plan == plan)
        return HY_OK;
    context->plan = NULL;
    /* One byte more, so that a step without scratch still gets an address. */
    if (!hy_cpu_block_reserve(&context->arena, plan->arena.total + 1) ||
        !hy_cpu_block_reserve(&context->scratch, plan->scratch_size + 1))
        return hy_fail(err, HY_OUT_OF_MEMORY,
                       "no memory for %zu bytes of tensors and %zu of scratch", plan->arena.total,
                       plan->scratch_size);
    memcpy(context->values, plan->values, context->operand_count * sizeof *context->values);
    for (uint32_t i = 0; i < context->operand_count; i++) {
        if (plan->places[i] != HY_CPU_NO_PLACE)
            context->values[i].data = (uint8_t *)context->arena.bytes + plan->places[i];
    }
    context->plan = plan;
    return HY_OK;
}
