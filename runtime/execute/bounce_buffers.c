#include "runtime/execute/bounce_buffers.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/execute/copied.h"
#include "runtime/memory/bytes.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory_object.h"
#include "runtime/memory/seals.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER (1u << HY_POOL_BUFFER)
#define HOST   (1u << HY_POOL_HOST)

/* An argument of the step; inputs first, then outputs. */
struct position {
    struct hy_argument *argument;
    const struct hy_bound_argument *given; /* NULL: a boundary tensor */
    uint32_t pool;
    bool is_output;
};

static struct position location_of(const struct hy_bounce_buffers *bounce, uint32_t number)
{
    const struct hy_step *step = &bounce->execution->binding->plan->steps[bounce->index];
    struct position position = {.argument = &bounce->step->arguments[number],
                                .is_output = number >= step->input_count};

    position.pool = position.argument->location.pool;
    const struct hy_slot *slot =
        position.is_output ? &step->outputs[number - step->input_count] : &step->inputs[number];
    if (slot->kind == HY_SLOT_INPUT)
        position.given = &bounce->execution->inputs[slot->index];
    else if (slot->kind == HY_SLOT_OUTPUT)
        position.given = &bounce->execution->outputs[slot->index];
    return position;
}

static uint32_t count_arguments(const struct hy_bounce_buffers *bounce)
{
    return bounce->step->request.input_count + bounce->step->request.output_count;
}

static bool is_there(const struct position *position)
{
    return !(position->argument->flags & HY_ARGUMENT_NO_VALUE);
}

/* ---- Memory of a device: as a whole ---------------------------------------------------------- */

static struct hy_domain *domain_of(const struct position *position)
{
    /* Only the app gives memory of a device. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    return hy_memory_domain(position->given->memory);
}

static enum hy_code measure_buffer(const struct position *position, uint64_t *ret,
                                   struct hy_error *err)
{
    const struct hy_domain *domain = domain_of(position);

    if ((!domain->is_open || hy_shape_is_complete(&position->given->shape)) &&
        hy_domain_measure(domain, &position->given->shape, ret))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "memory of %s has an unknown size",
                   hy_device_memory_device(domain->device)->info.name);
}

/* ---- One argument ---------------------------------------------------------------------------- */

/* The kernel copies to and from files, as a driver may have truncated them. */
static enum hy_code move(const struct hy_pool *from, const struct hy_pool *to, uint64_t offset,
                         uint64_t length, struct hy_error *err)
{
    const struct hy_pool source = hy_pool_part(from, offset, length);
    const struct hy_pool destination = hy_pool_part(to, offset, length);

    return hy_memory_move_bytes(&source, &destination, err);
}

static enum hy_code bounce_one(struct hy_bounce_buffers *bounce, const struct position *position,
                               struct hy_error *err)
{
    const struct hy_pool *pool = &bounce->pools[position->pool];
    struct hy_memory **shared = &bounce->shared[position->pool];
    const struct hy_location *at = &position->argument->location;
    uint64_t bytes = at->length;
    enum hy_code code = HY_OK;

    if (pool->kind == HY_POOL_BUFFER)
        code = measure_buffer(position, &bytes, err);
    if (code == HY_OK && !*shared)
        code = hy_memory_from_domain(NULL, pool->kind == HY_POOL_BUFFER ? bytes : pool->size,
                                     shared, err);
    if (code != HY_OK || position->is_output)
        return code;
    const struct hy_pool *to = hy_memory_pool(*shared);
    if (pool->kind == HY_POOL_BUFFER)
        code = hy_device_memory_read(domain_of(position)->device, to, err);
    else
        code = move(pool, to, at->offset, bytes, err);
    if (code == HY_OK)
        hy_copied_add(bytes);
    return code;
}

static enum hy_code return_one(const struct hy_bounce_buffers *bounce,
                               const struct position *position, struct hy_error *err)
{
    const struct hy_pool *pool = &bounce->pools[position->pool];
    const struct hy_pool *from = hy_memory_pool(bounce->shared[position->pool]);
    const struct hy_location *at = &position->argument->location;
    enum hy_code code = HY_OK;

    if (pool->kind == HY_POOL_BUFFER)
        code =
            hy_device_memory_write(domain_of(position)->device, from, &position->given->shape, err);
    else
        code = move(from, pool, at->offset, at->length, err);
    if (code == HY_OK)
        hy_copied_add(at->length);
    return code;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/*
 * A device of this process must not use memory that the failed service may have truncated. A
 * service gets no memory that others use, as neither side trusts the other.
 */
static bool is_distrusted(const struct hy_bounce_buffers *bounce,
                          const struct hy_runtime_device *device, const struct position *position)
{
    const struct hy_service *failed =
        bounce->execution->binding->plan->steps[bounce->index].device->service;
    const struct hy_pool *pool = &bounce->pools[position->pool];
    const struct hy_memory *memory = position->given ? position->given->memory : NULL;

    if (memory && hy_memory_pool(memory)->id != pool->id)
        memory = NULL; /* the argument lies in memory of the runtime */
    if (failed == device->service || (memory && hy_memory_is_dma_buf(memory)) ||
        pool->kind == HY_POOL_HARDWARE_BUFFER)
        return false;
    return device->service || (memory && !(hy_memory_seals(memory) & HY_SEALS_SIZE));
}

/* Boundary tensors of unknown size may move during the step, and are not replaced. */
static bool needs_bounce(const struct hy_bounce_buffers *bounce,
                         const struct hy_runtime_device *device, const struct position *position)
{
    const bool may_move = bounce->execution->binding->memory.open;
    const uint32_t kind = bounce->pools[position->pool].kind;

    if (kind == HY_POOL_BUFFER)
        return true;
    if (may_move)
        return false;
    return (kind == HY_POOL_HOST && !hy_pool_kind_is_known(device, HY_POOL_HOST)) ||
           is_distrusted(bounce, device, position);
}

/* The pool kinds of which every pool is replaced. */
static uint32_t bounce_kinds(const struct hy_bounce_buffers *bounce,
                             const struct hy_runtime_device *device)
{
    const bool needs_host =
        !hy_pool_kind_is_known(device, HY_POOL_HOST) && !bounce->execution->binding->memory.open;
    return bounce->step->pool_kinds & (BUFFER | (needs_host ? HOST : 0));
}

/* True if no pool is replaced. */
static bool needs_no_bounce(const struct hy_bounce_buffers *bounce,
                            const struct hy_runtime_device *device, uint32_t kinds)
{
    const struct hy_service *failed =
        bounce->execution->binding->plan->steps[bounce->index].device->service;

    return kinds == 0 && failed == device->service;
}

/* Puts the bounce buffers into the request. */
static void show(struct hy_bounce_buffers *bounce)
{
    for (uint32_t i = 0; i < bounce->step->request.pool_count; i++) {
        if (bounce->shared[i])
            bounce->step->pools[i] = *hy_memory_pool(bounce->shared[i]);
    }
    for (uint32_t i = 0; i < count_arguments(bounce); i++) {
        const struct position position = location_of(bounce, i);
        if (is_there(&position) && bounce->pools[position.pool].kind == HY_POOL_BUFFER)
            position.argument->location.length = position.given->length;
    }
}

static enum hy_code bounce_all(struct hy_bounce_buffers *bounce,
                               const struct hy_runtime_device *device, struct hy_error *err)
{
    const uint32_t count = bounce->step->request.pool_count;
    enum hy_code code = HY_OK;

    bounce->pools = calloc(count, sizeof *bounce->pools);
    bounce->shared = calloc(count, sizeof(struct hy_memory *));
    if (!bounce->pools || !bounce->shared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);
    memcpy(bounce->pools, bounce->step->pools, count * sizeof *bounce->pools);
    hy_binding_invalidate_step(bounce->execution->binding, bounce->index);
    for (uint32_t i = 0; code == HY_OK && i < count_arguments(bounce); i++) {
        const struct position position = location_of(bounce, i);
        if (is_there(&position) && needs_bounce(bounce, device, &position))
            code = bounce_one(bounce, &position, err);
    }
    return code;
}

enum hy_code hy_bounce_buffers_install(struct hy_bounce_buffers *ret,
                                       const struct hy_execution *execution, uint32_t step,
                                       const struct hy_runtime_device *device, struct hy_error *err)
{
    struct hy_bounce_buffers bounce = {
        .execution = execution, .step = &execution->binding->steps[step], .index = step};
    const uint32_t kinds = bounce_kinds(&bounce, device);

    enum hy_code code = hy_pool_kinds_check(device, bounce.step->pool_kinds & ~kinds, err);
    if (code != HY_OK || needs_no_bounce(&bounce, device, kinds))
        return code;
    code = bounce_all(&bounce, device, err);
    if (code != HY_OK) {
        hy_bounce_buffers_remove(&bounce);
        return code;
    }
    show(&bounce);
    *ret = bounce;
    return HY_OK;
}

enum hy_code hy_bounce_buffers_copy_out(struct hy_bounce_buffers *bounce, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; bounce->shared && code == HY_OK && i < count_arguments(bounce); i++) {
        const struct position position = location_of(bounce, i);
        if (position.is_output && is_there(&position) && bounce->shared[position.pool])
            code = return_one(bounce, &position, err);
    }
    return code;
}

static void restore(struct hy_bounce_buffers *bounce)
{
    memcpy(bounce->step->pools, bounce->pools,
           bounce->step->request.pool_count * sizeof *bounce->pools);
    for (uint32_t i = 0; i < count_arguments(bounce); i++) {
        const struct position position = location_of(bounce, i);
        if (is_there(&position) && bounce->pools[position.pool].kind == HY_POOL_BUFFER)
            position.argument->location.length = 0;
    }
    hy_binding_invalidate_step(bounce->execution->binding, bounce->index);
}

void hy_bounce_buffers_remove(struct hy_bounce_buffers *bounce)
{
    if (bounce->pools && bounce->shared)
        restore(bounce);
    for (uint32_t i = 0; bounce->shared && i < bounce->step->request.pool_count; i++)
        hy_memory_release(bounce->shared[i]);
    free(bounce->shared);
    free(bounce->pools);
    *bounce = (struct hy_bounce_buffers){0};
}
