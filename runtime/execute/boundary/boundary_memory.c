#include "runtime/execute/boundary/boundary_memory.h"

#include "runtime/execute/boundary/device_tensors.h"
#include "runtime/execute/copied.h"
#include "runtime/memory/memory_object.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/search/flow.h"
#include "runtime/plan/trust.h"

#include <stdlib.h>
#include <string.h>

enum hy_code hy_boundary_memory_init(struct hy_boundary_memory *memory, const struct hy_plan *plan,
                                     struct hy_arena *arena, struct hy_error *err)
{
    const uint32_t count = plan->tensor_count;

    *memory = (struct hy_boundary_memory){.plan = plan, .bytes = plan->layout.block_bytes};
    memory->blocks = hy_plan_alloc(arena, plan->layout.block_count, sizeof *memory->blocks);
    if (!memory->blocks)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u blocks", plan->layout.block_count);
    if (plan->device_tensor_count > 0) {
        memory->buffers = hy_plan_alloc(arena, count, sizeof(struct hy_device_memory *));
        if (!memory->buffers)
            return hy_fail(err, HY_OUT_OF_MEMORY, "buffers of %u boundary tensors", count);
    }
    if (plan->open_tensor_count == 0)
        return HY_OK;
    memory->offsets = hy_plan_alloc(arena, plan->layout.span_count, sizeof(uint64_t));
    memory->bytes = hy_plan_alloc(arena, plan->layout.block_count, sizeof(uint64_t));
    memory->open = hy_plan_alloc(arena, count, sizeof *memory->open);
    if (memory->offsets && memory->bytes && memory->open)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "%u boundary tensors", count);
}

/* Frees the memory of tensors that have left the block. */
static void drop_own(struct hy_boundary_memory *memory)
{
    for (uint32_t i = 0; memory->open && i < memory->plan->tensor_count; i++) {
        free(memory->open[i].own);
        memory->open[i].own = NULL;
    }
}

static void drop_block(struct hy_memory_block *block)
{
    if (block->shared)
        hy_memory_release(block->shared);
    else
        free(block->address);
    *block = (struct hy_memory_block){0};
}

void hy_boundary_memory_drop(struct hy_boundary_memory *memory)
{
    for (uint32_t i = 0; memory->blocks && i < memory->plan->layout.block_count; i++)
        drop_block(&memory->blocks[i]);
    memory->is_made = false;
}

void hy_boundary_memory_finish(struct hy_boundary_memory *memory)
{
    drop_own(memory);
    for (uint32_t i = 0; memory->buffers && i < memory->plan->tensor_count; i++)
        hy_device_memory_destroy(memory->buffers[i]);
    hy_boundary_memory_drop(memory);
    *memory = (struct hy_boundary_memory){0};
}

/* If a boundary tensor grows in the meantime, the block is outdated again. */
static enum hy_code position(struct hy_boundary_memory *memory, struct hy_error *err)
{
    const struct hy_plan *plan = memory->plan;

    if (!memory->open)
        return HY_OK;
    /* Capacities only grow, so the layout has at least the capacity noted here. */
    const unsigned growths = atomic_load_explicit(&plan->counters->growths, memory_order_acquire);
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        memory->open[i].capacity =
            atomic_load_explicit(&plan->counters->capacities[i], memory_order_relaxed);
    enum hy_code code = hy_layout_assign_offsets(plan, memory->offsets, memory->bytes, err);
    if (code == HY_OK)
        memory->growths = growths;
    return code;
}

/* Seals the memory that a service only reads. */
static enum hy_code make_shared(const struct hy_boundary_memory *memory, uint32_t index,
                                struct hy_error *err)
{
    struct hy_memory_block *block = &memory->blocks[index];
    const bool is_sealed = hy_block_is_read_only(index) &&
                           memory->plan->layout.domains[hy_block_domain(index)].service;

    enum hy_code code =
        is_sealed ? hy_memory_to_read(memory->bytes[index], &block->shared, err)
                  : hy_memory_from_domain(NULL, memory->bytes[index], &block->shared, err);
    if (code == HY_OK)
        block->address = hy_memory_pool(block->shared)->address;
    return code;
}

static enum hy_code make_block(const struct hy_boundary_memory *memory, uint32_t index,
                               struct hy_error *err)
{
    struct hy_memory_block *block = &memory->blocks[index];
    const uint64_t bytes = memory->bytes[index];
    enum hy_code code = HY_OK;

    if (bytes <= block->capacity)
        return HY_OK;
    drop_block(block);
    if (index != HY_BLOCK_OF_PROCESS)
        code = make_shared(memory, index, err);
    else
        block->address = aligned_alloc(HY_BOUNDARY_ALIGNMENT, bytes); /* aligned size */
    if (code == HY_OK && !block->address)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "%llu bytes between %u steps",
                       (unsigned long long)bytes, memory->plan->step_count);
    block->capacity = code == HY_OK ? bytes : 0;
    return code;
}

enum hy_code hy_boundary_memory_renew(struct hy_boundary_memory *memory, struct hy_error *err)
{
    if (memory->buffers && !memory->has_asked)
        hy_device_tensors_make(memory);
    memory->has_asked = true;
    if (memory->is_made && !hy_boundary_memory_is_old(memory))
        return HY_OK;
    drop_own(memory);
    memory->has_moved = false;
    enum hy_code code = position(memory, err);
    for (uint32_t i = 0; code == HY_OK && i < memory->plan->layout.block_count; i++)
        code = make_block(memory, i, err);
    memory->is_made = code == HY_OK;
    return code;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Sealed memory is passed by address here, because it cannot be mapped for writing again. */
struct hy_pool hy_boundary_memory_pool(const struct hy_boundary_memory *memory, uint32_t block,
                                       uint32_t domain)
{
    const struct hy_memory_block *its = &memory->blocks[block];

    if (its->shared && !(domain == 0 && hy_block_is_read_only(block)))
        return *hy_memory_pool(its->shared);
    return (struct hy_pool){.kind = HY_POOL_HOST,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .size = memory->bytes[block],
                            .address = its->address};
}

static uint64_t offset_of(const struct hy_boundary_memory *memory, uint32_t span)
{
    return (memory->offsets ? memory->offsets : memory->plan->layout.offsets)[span];
}

uint64_t hy_boundary_memory_find(const struct hy_boundary_memory *memory, uint32_t tensor,
                                 uint32_t domain, uint32_t *block)
{
    uint32_t span;

    hy_trust_find_span(memory->plan, tensor, domain, block, &span);
    return offset_of(memory, span);
}

uint8_t *hy_boundary_memory_address(const struct hy_boundary_memory *memory, uint32_t tensor)
{
    if (memory->open && memory->open[tensor].own)
        return memory->open[tensor].own;
    return memory->blocks[memory->plan->tensors[tensor].block].address + offset_of(memory, tensor);
}

uint8_t *hy_boundary_memory_scratch(const struct hy_boundary_memory *memory, uint32_t step)
{
    return memory->blocks[HY_BLOCK_OF_PROCESS].address +
           offset_of(memory, memory->plan->tensor_count + step);
}

void hy_boundary_memory_pass_on(const struct hy_boundary_memory *memory, uint32_t tensor)
{
    const struct hy_plan *plan = memory->plan;
    const struct hy_boundary_tensor *plan_tensor = &plan->tensors[tensor];

    for (uint32_t i = 0; i < plan_tensor->copy_count; i++) {
        const uint32_t copy = plan_tensor->first_copy + i;
        const uint32_t span = plan->tensor_count + plan->step_count + copy;
        memcpy(memory->blocks[plan->layout.copies[copy].block].address + offset_of(memory, span),
               hy_boundary_memory_address(memory, tensor), plan_tensor->bytes);
        hy_copied_add(plan_tensor->bytes);
    }
}

/* ---- Growth ---------------------------------------------------------------------------------- */

enum hy_code hy_boundary_memory_grow(struct hy_boundary_memory *memory, uint32_t tensor,
                                     uint64_t need, struct hy_error *err)
{
    const struct hy_plan *plan = memory->plan;
    struct hy_open_tensor *open = &memory->open[tensor];

    if (need > plan->counters->capacity_limit)
        return hy_fail(err, HY_FAILED,
                       "boundary tensor (operand %u) needs %llu bytes, at most %llu",
                       plan->tensors[tensor].operand, (unsigned long long)need,
                       (unsigned long long)plan->counters->capacity_limit);
    const uint64_t capacity = hy_boundary_round(need);
    void *own = aligned_alloc(HY_BOUNDARY_ALIGNMENT, capacity);
    if (!own)
        return hy_fail(err, HY_OUT_OF_MEMORY, "boundary tensor (operand %u) of %llu bytes",
                       plan->tensors[tensor].operand, (unsigned long long)capacity);
    free(open->own);
    open->own = own;
    open->capacity = capacity;
    memory->has_moved = true;
    return HY_OK;
}
