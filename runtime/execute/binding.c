#include "runtime/execute/binding.h"

#include "runtime/device/device_kind.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/memory_object.h"
#include "runtime/plan/alloc.h"

#include <stdlib.h>

/* A limit for the search of equal pools, to keep long argument lists linear. */
#define LOOKED_AT 16u

/* State while one step is bound. */
struct binder {
    const struct hy_execution *execution;
    struct hy_binding *binding;
    const struct hy_step *step;
    struct hy_pool *pools;
    uint32_t pool_count;
    bool uses_buffers; /* for boundary tensors */
};

static uint32_t add_memory(struct binder *binder, const struct hy_pool *pool)
{
    for (uint32_t i = 0; i < LOOKED_AT && i < binder->pool_count; i++) {
        const uint32_t index = binder->pool_count - 1 - i;
        if (binder->pools[index].id == pool->id && pool->id != 0)
            return index;
    }
    binder->pools[binder->pool_count] = *pool;
    return binder->pool_count++;
}

static uint32_t add_host(struct binder *binder, void *address, uint64_t size, uint32_t protection)
{
    binder->pools[binder->pool_count] = (struct hy_pool){
        .kind = HY_POOL_HOST, .protection = protection, .fd = -1, .size = size, .address = address};
    return binder->pool_count++;
}

static uint32_t add_buffer(struct binder *binder, const struct hy_device_memory *buffer)
{
    binder->pools[binder->pool_count] =
        (struct hy_pool){.kind = HY_POOL_BUFFER,
                         .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                         .fd = -1,
                         .buffer_token = hy_device_memory_token(buffer)};
    binder->uses_buffers = true;
    return binder->pool_count++;
}

/* Adds each block once, on first use. */
static uint32_t add_block(struct binder *binder, uint32_t block)
{
    uint32_t *pool = &binder->binding->block_pools[block];

    if (*pool == UINT32_MAX) {
        *pool = binder->pool_count++;
        binder->pools[*pool] =
            hy_boundary_memory_pool(&binder->binding->memory, block, binder->step->domain);
    }
    return *pool;
}

/* Each boundary tensor of unknown size has its own pool, because it may move. */
static void bind_open_tensor(struct binder *binder, uint32_t index, struct hy_argument *argument)
{
    const struct hy_boundary_memory *memory = &binder->binding->memory;
    const uint64_t capacity = memory->open[index].capacity;

    argument->location = (struct hy_location){
        .pool = add_host(binder, hy_boundary_memory_address(memory, index), capacity,
                         HY_PROTECT_READ | HY_PROTECT_WRITE),
        .length = capacity,
    };
}

static void bind_tensor(struct binder *binder, uint32_t index, struct hy_argument *argument)
{
    const struct hy_boundary_memory *memory = &binder->binding->memory;
    const uint64_t bytes = memory->plan->tensors[index].bytes;

    const struct hy_device_memory *buffer =
        hy_boundary_memory_buffer(memory, index, binder->step->device);

    *argument = (struct hy_argument){0};
    if (bytes == 0) {
        bind_open_tensor(binder, index, argument);
        return;
    }
    if (buffer) {
        argument->location.pool = add_buffer(binder, buffer);
        return;
    }
    uint32_t block;
    const uint64_t offset = hy_boundary_memory_find(memory, index, binder->step->domain, &block);
    argument->location =
        (struct hy_location){.pool = add_block(binder, block), .offset = offset, .length = bytes};
}

/* Memory that is used as a whole, without offset and length. */
static bool is_whole(const struct hy_pool *pool)
{
    return pool->kind == HY_POOL_BUFFER || pool->kind == HY_POOL_HARDWARE_BUFFER;
}

/* Binds an input or output of the model. `staged`: its location in staging memory, if staged. */
static void bind_given(struct binder *binder, const struct hy_bound_argument *given,
                       uint32_t protection, const struct hy_staged_location *staged,
                       struct hy_argument *argument)
{
    if (given->is_omitted) {
        *argument = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
        return;
    }
    *argument = (struct hy_argument){
        .rank = given->shape.rank,
        .dims = given->shape.rank ? given->shape.dims : NULL,
        .location = {.padding = (uint32_t)given->padding, .length = given->length},
    };
    if (staged->memory) {
        argument->location.pool = add_memory(binder, hy_memory_pool(staged->memory));
        argument->location.offset = staged->offset;
    } else if (given->memory) {
        const struct hy_pool *pool = hy_memory_pool(given->memory);
        if (is_whole(pool))
            argument->location = (struct hy_location){0};
        argument->location.pool = add_memory(binder, pool);
        argument->location.offset = given->offset;
    } else {
        argument->location.pool =
            add_host(binder, given->buffer, given->length + given->padding, protection);
    }
}

/* True if the tensor lies in memory of the runtime: always, or because the app omits the output. */
static bool is_in_tensor(const struct binder *binder, const struct hy_slot *slot)
{
    return slot->kind == HY_SLOT_BOUNDARY ||
           (slot->tensor != HY_NO_TENSOR && binder->execution->outputs[slot->index].is_omitted);
}

/* A step may read the output it writes, and later steps may read the output too. */
static void bind_slot(struct binder *binder, const struct hy_slot *slot,
                      struct hy_argument *argument)
{
    const struct hy_execution *execution = binder->execution;

    if (is_in_tensor(binder, slot)) {
        bind_tensor(binder, slot->tensor, argument);
        return;
    }
    const uint32_t number =
        slot->kind == HY_SLOT_OUTPUT ? execution->input_count + slot->index : slot->index;
    const struct hy_staged_location staged =
        hy_staged_arguments_find(&binder->binding->staged, number, binder->step->domain);
    if (slot->kind == HY_SLOT_INPUT)
        bind_given(binder, &execution->inputs[slot->index], HY_PROTECT_READ, &staged, argument);
    else
        bind_given(binder, &execution->outputs[slot->index], HY_PROTECT_READ | HY_PROTECT_WRITE,
                   &staged, argument);
}

/* Capacity of an output in bytes. */
static uint64_t capacity_of(const struct binder *binder, const struct hy_slot *slot,
                            const struct hy_argument *argument)
{
    if ((argument->flags & HY_ARGUMENT_NO_VALUE) ||
        !is_whole(&binder->pools[argument->location.pool]))
        return argument->location.length;
    return slot->kind == HY_SLOT_BOUNDARY ? binder->binding->plan->tensors[slot->tensor].bytes
                                          : binder->execution->outputs[slot->index].length;
}

static bool is_determined(const struct hy_bound_output *output)
{
    uint64_t bytes;

    return !output->is_omitted && (output->is_scalar || hy_shape_is_complete(&output->declared)) &&
           hy_shape_bytes(&output->declared, output->element_bytes, &bytes) &&
           bytes <= output->capacity;
}

static void expect_output(const struct binder *binder, uint32_t index,
                          const struct hy_argument *argument, struct hy_bound_output *output)
{
    const struct hy_slot *slot = &binder->step->outputs[index];
    const struct hy_subgraph *graph = binder->step->model->main;
    const struct hy_operand *operand = &graph->operands[graph->outputs[index]];
    struct hy_type_info type;

    (void)hy_type_info_find(operand->type, &type); /* checked when the model was built */
    output->tensor = is_in_tensor(binder, slot) ? slot->tensor : HY_NO_TENSOR;
    output->is_omitted = argument->flags & HY_ARGUMENT_NO_VALUE;
    output->is_scalar = type.is_scalar;
    output->element_bytes = type.element_bytes;
    output->capacity = capacity_of(binder, slot, argument);
    /* Ranks were checked when the model was built and the argument was set. */
    if (argument->rank)
        (void)hy_shape_set(&output->declared, argument->rank, argument->dims);
    else
        (void)hy_shape_set(&output->declared, operand->rank, operand->dims);
    output->is_determined = is_determined(output);
}

static void bind_step(struct binder *binder, uint32_t index)
{
    const struct hy_step *step = binder->step;
    struct hy_bound_step *bound = &binder->binding->steps[index];
    struct hy_argument *out = bound->arguments + step->input_count;

    for (uint32_t i = 0; i < binder->binding->plan->layout.block_count; i++)
        binder->binding->block_pools[i] = UINT32_MAX;
    for (uint32_t i = 0; i < step->input_count; i++)
        bind_slot(binder, &step->inputs[i], &bound->arguments[i]);
    for (uint32_t i = 0; i < step->output_count; i++) {
        bind_slot(binder, &step->outputs[i], &out[i]);
        expect_output(binder, i, &out[i], &bound->outputs[i]);
    }
    bound->pool_kinds = hy_pools_kinds(bound->pools, binder->pool_count);
    bound->uses_buffers = binder->uses_buffers;
    bound->has_run = false;
    bound->refuses_reuse = false;
    bound->scratch_bytes = step->scratch_bytes;
    bound->scratch = step->scratch_bytes > 0
                         ? hy_boundary_memory_scratch(&binder->binding->memory, index)
                         : NULL;
    bound->request = (struct hy_request){
        .struct_size = sizeof bound->request,
        .input_count = step->input_count,
        .output_count = step->output_count,
        .pool_count = binder->pool_count,
        .inputs = bound->arguments,
        .outputs = out,
        .pools = bound->pools,
    };
}

/* In a child of fork() the parent continues to use the shared memory. A process that did not return
 * from a run may also still use the memory. */
static void leave_memory_of_others(struct hy_binding *binding)
{
    const unsigned generation = hy_fork_generation();
    const bool is_of_others = binding->may_be_written || binding->fork_generation != generation;

    if (is_of_others && binding->plan->layout.domain_count > 1) {
        hy_staged_arguments_finish(&binding->staged);
        hy_boundary_memory_drop(&binding->memory);
    }
    binding->fork_generation = generation;
    binding->may_be_written = false;
}

enum hy_code hy_binding_fill(struct hy_binding *binding, const struct hy_execution *execution,
                             struct hy_error *err)
{
    const struct hy_plan *plan = binding->plan;

    hy_binding_invalidate(binding, HY_BINDING_ALL);
    binding->is_repeatable = false;
    leave_memory_of_others(binding);
    enum hy_code code = hy_boundary_memory_renew(&binding->memory, err);
    if (code == HY_OK)
        code = hy_staged_arguments_alloc(&binding->staged, execution, err);
    for (uint32_t i = 0; code == HY_OK && i < plan->step_count; i++) {
        struct binder binder = {.execution = execution,
                                .binding = binding,
                                .step = &plan->steps[i],
                                .pools = binding->steps[i].pools};
        bind_step(&binder, i);
    }
    for (uint32_t i = 0; binding->memory.open && i < plan->tensor_count; i++)
        binding->memory.open[i].is_passed_on = false;
    return code;
}

enum hy_code hy_binding_bypass_buffers(struct hy_binding *binding,
                                       const struct hy_execution *execution, struct hy_error *err)
{
    binding->memory.bypasses_buffers = true;
    return hy_binding_fill(binding, execution, err);
}

enum hy_code hy_binding_pass_on(const struct hy_binding *binding,
                                const struct hy_execution *execution, uint32_t step,
                                struct hy_error *err)
{
    const struct hy_step *plan_step = &binding->plan->steps[step];
    const struct hy_bound_output *outputs = binding->steps[step].outputs;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < plan_step->output_count; i++) {
        const struct hy_slot *slot = &plan_step->outputs[i];
        if (outputs[i].tensor != HY_NO_TENSOR)
            hy_boundary_memory_pass_on(&binding->memory, outputs[i].tensor);
        else if (slot->tensor != HY_NO_TENSOR)
            code = hy_staged_arguments_pass_on(&binding->staged, execution, slot->index, err);
    }
    return code;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static bool alloc_step(struct hy_arena *arena, const struct hy_step *step,
                       struct hy_bound_step *bound)
{
    const size_t count = (size_t)step->input_count + step->output_count;

    bound->arguments = hy_plan_alloc(arena, count, sizeof *bound->arguments);
    bound->outputs = hy_plan_alloc(arena, step->output_count, sizeof *bound->outputs);
    bound->pools = hy_plan_alloc(arena, count, sizeof *bound->pools);
    bound->shapes = hy_plan_alloc(arena, step->output_count, sizeof *bound->shapes);
    return bound->arguments && bound->outputs && bound->pools && bound->shapes;
}

static bool alloc_all(struct hy_binding *binding)
{
    const struct hy_plan *plan = binding->plan;

    binding->steps = hy_plan_alloc(&binding->arena, plan->step_count, sizeof *binding->steps);
    binding->block_pools =
        hy_plan_alloc(&binding->arena, plan->layout.block_count, sizeof *binding->block_pools);
    if (!binding->steps || !binding->block_pools)
        return false;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (!alloc_step(&binding->arena, &plan->steps[i], &binding->steps[i]))
            return false;
    }
    return true;
}

enum hy_code hy_binding_create(const struct hy_plan *plan, struct hy_binding **ret,
                               struct hy_error *err)
{
    struct hy_binding *binding = calloc(1, sizeof *binding);
    enum hy_code code = HY_OK;

    if (!binding)
        return hy_fail(err, HY_OUT_OF_MEMORY, "requests of %u steps", plan->step_count);
    binding->plan = plan;
    binding->fork_generation = hy_fork_generation();
    if (!alloc_all(binding))
        code = hy_fail(err, HY_OUT_OF_MEMORY, "requests of %u steps", plan->step_count);
    if (code == HY_OK)
        code = hy_boundary_memory_init(&binding->memory, plan, &binding->arena, err);
    if (code == HY_OK)
        code = hy_staged_arguments_init(&binding->staged, plan, &binding->arena, err);
    if (code != HY_OK) {
        hy_binding_destroy(binding);
        return code;
    }
    *ret = binding;
    return HY_OK;
}

static void drop_reusable(struct hy_binding *binding, uint32_t step)
{
    struct hy_bound_step *bound = &binding->steps[step];

    if (bound->reusable)
        binding->plan->steps[step].device->table->reusable_destroy(bound->reusable);
    bound->reusable = NULL;
}

void hy_binding_invalidate_step(struct hy_binding *binding, uint32_t step)
{
    drop_reusable(binding, step);
    binding->steps[step].has_run = false;
    binding->steps[step].refuses_reuse = false;
}

void hy_binding_invalidate(struct hy_binding *binding, enum hy_binding_part part)
{
    for (uint32_t i = 0; binding->steps && i < binding->plan->step_count; i++) {
        if (part == HY_BINDING_ALL || !hy_device_is_built_in(binding->plan->steps[i].device))
            drop_reusable(binding, i);
    }
}

/* Reusables depend on the options. */
void hy_binding_set_options(struct hy_binding *binding, bool measure, uint64_t loop_timeout)
{
    if (binding->measure == measure && binding->loop_timeout == loop_timeout)
        return;
    hy_binding_invalidate(binding, HY_BINDING_ALL);
    binding->measure = measure;
    binding->loop_timeout = loop_timeout;
}

void hy_binding_destroy(struct hy_binding *binding)
{
    if (!binding)
        return;
    hy_binding_invalidate(binding, HY_BINDING_ALL);
    hy_staged_arguments_finish(&binding->staged);
    hy_boundary_memory_finish(&binding->memory);
    hy_arena_finish(&binding->arena);
    free(binding);
}
