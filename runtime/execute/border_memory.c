#include "runtime/execute/border_memory.h"

#include "runtime/execute/device_borders.h"
#include "runtime/memory/memory.h"
#include "runtime/plan/borders.h"
#include "runtime/plan/flow.h"
#include "runtime/plan/take.h"

#include <stdlib.h>

enum hy_code hy_border_memory_init(struct hy_border_memory *memory, struct hy_plan *plan,
                                   struct hy_arena *arena, struct hy_error *err)
{
    const uint32_t count = plan->border_count;

    *memory = (struct hy_border_memory){.plan = plan};
    if (plan->device_border_count > 0) {
        memory->buffers = hy_plan_take(arena, count, sizeof(struct hy_device_memory *));
        if (!memory->buffers)
            return hy_fail(err, HY_OUT_OF_MEMORY, "buffers of %u borders", count);
    }
    if (plan->open_border_count == 0)
        return HY_OK;
    memory->offsets = hy_plan_take(arena, (size_t)count + plan->step_count, sizeof(uint64_t));
    memory->open = hy_plan_take(arena, count, sizeof *memory->open);
    if (memory->offsets && memory->open)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "%u borders", count);
}

/* What has moved out is gone. */
static void drop_own(struct hy_border_memory *memory)
{
    for (uint32_t i = 0; memory->open && i < memory->plan->border_count; i++) {
        free(memory->open[i].own);
        memory->open[i].own = NULL;
    }
}

void hy_border_memory_drop(struct hy_border_memory *memory)
{
    if (memory->shared)
        hy_memory_release(memory->shared);
    else
        free(memory->block);
    memory->shared = NULL;
    memory->block = NULL;
    memory->room = 0;
}

void hy_border_memory_finish(struct hy_border_memory *memory)
{
    drop_own(memory);
    for (uint32_t i = 0; memory->buffers && i < memory->plan->border_count; i++)
        hy_device_memory_destroy(memory->buffers[i]);
    hy_border_memory_drop(memory);
    *memory = (struct hy_border_memory){0};
}

/* A border that grows meanwhile makes the block an old one again. */
static enum hy_code place(struct hy_border_memory *memory, struct hy_error *err)
{
    struct hy_plan *plan = memory->plan;

    if (!memory->open) {
        memory->bytes = plan->arena_bytes;
        return HY_OK;
    }
    /* Rooms only grow, so that what is placed has at least the room noted here. */
    const unsigned growths = atomic_load_explicit(&plan->growths, memory_order_acquire);
    for (uint32_t i = 0; i < plan->border_count; i++)
        memory->open[i].room = atomic_load_explicit(&plan->borders[i].room, memory_order_relaxed);
    enum hy_code code = hy_borders_place(plan, memory->offsets, &memory->bytes, err);
    if (code == HY_OK)
        memory->growths = growths;
    return code;
}

static enum hy_code make_shared(struct hy_border_memory *memory, struct hy_error *err)
{
    enum hy_code code = hy_memory_from_domain(NULL, memory->bytes, &memory->shared, err);

    if (code != HY_OK)
        return code;
    memory->block = hy_memory_pool(memory->shared)->address;
    memory->room = memory->bytes;
    return HY_OK;
}

static enum hy_code make_block(struct hy_border_memory *memory, struct hy_error *err)
{
    hy_border_memory_drop(memory);
    if (memory->plan->needs_handles)
        return make_shared(memory, err);
    memory->block = aligned_alloc(HY_BORDER_ALIGNMENT, memory->bytes); /* which is a multiple */
    memory->room = memory->block ? memory->bytes : 0;
    if (memory->block)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "%llu bytes between %u steps",
                   (unsigned long long)memory->bytes, memory->plan->step_count);
}

enum hy_code hy_border_memory_renew(struct hy_border_memory *memory, struct hy_error *err)
{
    if (memory->buffers && !memory->has_asked)
        hy_device_borders_make(memory);
    memory->has_asked = true;
    if (memory->block && !hy_border_memory_is_old(memory))
        return HY_OK;
    drop_own(memory);
    memory->has_moved = false;
    enum hy_code code = place(memory, err);
    if (code == HY_OK && memory->bytes > memory->room)
        code = make_block(memory, err);
    return code;
}

struct hy_pool hy_border_memory_pool(const struct hy_border_memory *memory)
{
    return memory->shared ? *hy_memory_pool(memory->shared)
                          : (struct hy_pool){.kind = HY_POOL_HOST,
                                             .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                             .fd = -1,
                                             .size = memory->bytes,
                                             .address = memory->block};
}

static uint64_t offset_of(const struct hy_border_memory *memory, uint32_t span)
{
    return (memory->offsets ? memory->offsets : memory->plan->offsets)[span];
}

uint8_t *hy_border_memory_address(const struct hy_border_memory *memory, uint32_t border)
{
    if (memory->open && memory->open[border].own)
        return memory->open[border].own;
    return memory->block + offset_of(memory, border);
}

uint8_t *hy_border_memory_scratch(const struct hy_border_memory *memory, uint32_t step)
{
    return memory->block + offset_of(memory, memory->plan->border_count + step);
}

enum hy_code hy_border_memory_grow(struct hy_border_memory *memory, uint32_t border, uint64_t need,
                                   struct hy_error *err)
{
    const struct hy_plan *plan = memory->plan;
    struct hy_open_border *open = &memory->open[border];

    if (need > plan->border_limit)
        return hy_fail(err, HY_FAILED, "border operand %u needs %llu bytes, at most %llu",
                       plan->borders[border].operand, (unsigned long long)need,
                       (unsigned long long)plan->border_limit);
    const uint64_t room = hy_border_round(need);
    void *own = aligned_alloc(HY_BORDER_ALIGNMENT, room);
    if (!own)
        return hy_fail(err, HY_OUT_OF_MEMORY, "border operand %u of %llu bytes",
                       plan->borders[border].operand, (unsigned long long)room);
    free(open->own);
    open->own = own;
    open->room = room;
    memory->has_moved = true;
    return HY_OK;
}
