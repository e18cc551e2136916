#include "runtime/execute/lent_memory.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/execute/copied.h"
#include "runtime/memory/bytes.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/seals.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER (1u << HY_POOL_BUFFER)
#define HOST   (1u << HY_POOL_HOST)

/* An argument of the step; inputs first, then outputs. */
struct place {
    struct hy_argument *argument;
    const struct hy_bound_argument *given; /* NULL: a boundary tensor */
    uint32_t pool;
    bool is_output;
};

static struct place place_of(const struct hy_lent_memory *lent, uint32_t number)
{
    const struct hy_step *step = &lent->execution->binding->plan->steps[lent->index];
    struct place place = {.argument = &lent->step->arguments[number],
                          .is_output = number >= step->input_count};

    place.pool = place.argument->location.pool;
    const struct hy_slot *slot =
        place.is_output ? &step->outputs[number - step->input_count] : &step->inputs[number];
    if (slot->kind == HY_SLOT_INPUT)
        place.given = &lent->execution->inputs[slot->index];
    else if (slot->kind == HY_SLOT_OUTPUT)
        place.given = &lent->execution->outputs[slot->index];
    return place;
}

static uint32_t count_places(const struct hy_lent_memory *lent)
{
    return lent->step->request.input_count + lent->step->request.output_count;
}

static bool is_there(const struct place *place)
{
    return !(place->argument->flags & HY_ARGUMENT_NO_VALUE);
}

/* ---- Memory of a device: as a whole ---------------------------------------------------------- */

static struct hy_domain *domain_of(const struct place *place)
{
    return hy_memory_domain(place->given->memory);
}

static enum hy_code measure_buffer(const struct place *place, uint64_t *ret, struct hy_error *err)
{
    const struct hy_domain *domain = domain_of(place);

    if ((!domain->is_open || hy_shape_is_complete(&place->given->shape)) &&
        hy_domain_measure(domain, &place->given->shape, ret))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "memory of %s of unknown size",
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

static enum hy_code lend_one(struct hy_lent_memory *lent, const struct place *place,
                             struct hy_error *err)
{
    const struct hy_pool *pool = &lent->pools[place->pool];
    struct hy_memory **shared = &lent->shared[place->pool];
    const struct hy_location *at = &place->argument->location;
    uint64_t bytes = at->length;
    enum hy_code code = HY_OK;

    if (pool->kind == HY_POOL_BUFFER)
        code = measure_buffer(place, &bytes, err);
    if (code == HY_OK && !*shared)
        code = hy_memory_from_domain(NULL, pool->kind == HY_POOL_BUFFER ? bytes : pool->size,
                                     shared, err);
    if (code != HY_OK || place->is_output)
        return code;
    const struct hy_pool *to = hy_memory_pool(*shared);
    if (pool->kind == HY_POOL_BUFFER)
        code = hy_device_memory_read(domain_of(place)->device, to, err);
    else
        code = move(pool, to, at->offset, bytes, err);
    if (code == HY_OK)
        hy_copied_add(bytes);
    return code;
}

static enum hy_code return_one(const struct hy_lent_memory *lent, const struct place *place,
                               struct hy_error *err)
{
    const struct hy_pool *pool = &lent->pools[place->pool];
    const struct hy_pool *from = hy_memory_pool(lent->shared[place->pool]);
    const struct hy_location *at = &place->argument->location;
    enum hy_code code = HY_OK;

    if (pool->kind == HY_POOL_BUFFER)
        code = hy_device_memory_write(domain_of(place)->device, from, &place->given->shape, err);
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
static bool is_distrusted(const struct hy_lent_memory *lent, const struct hy_runtime_device *device,
                          const struct place *place)
{
    const struct hy_service *failed =
        lent->execution->binding->plan->steps[lent->index].device->service;
    const struct hy_pool *pool = &lent->pools[place->pool];
    const struct hy_memory *memory = place->given ? place->given->memory : NULL;

    if (memory && hy_memory_pool(memory)->id != pool->id)
        memory = NULL; /* the argument lies in memory of the runtime */
    if (failed == device->service || (memory && hy_memory_is_dma_buf(memory)) ||
        pool->kind == HY_POOL_HARDWARE_BUFFER)
        return false;
    return device->service || (memory && !(hy_memory_seals(memory) & HY_SEALS_SIZE));
}

/* Boundary tensors of unknown size may move during the step, and are not replaced. */
static bool is_to_lend(const struct hy_lent_memory *lent, const struct hy_runtime_device *device,
                       const struct place *place)
{
    const bool may_move = lent->execution->binding->memory.open;
    const uint32_t kind = lent->pools[place->pool].kind;

    if (kind == HY_POOL_BUFFER)
        return true;
    if (may_move)
        return false;
    return (kind == HY_POOL_HOST && !hy_pool_kind_is_known(device, HY_POOL_HOST)) ||
           is_distrusted(lent, device, place);
}

/* The pool kinds of which every pool is replaced. */
static uint32_t kinds_to_lend(const struct hy_lent_memory *lent,
                              const struct hy_runtime_device *device)
{
    const bool needs_host =
        !hy_pool_kind_is_known(device, HY_POOL_HOST) && !lent->execution->binding->memory.open;
    return lent->step->pool_kinds & (BUFFER | (needs_host ? HOST : 0));
}

/* True if no pool is replaced. */
static bool has_nothing_to_lend(const struct hy_lent_memory *lent,
                                const struct hy_runtime_device *device, uint32_t kinds)
{
    const struct hy_service *failed =
        lent->execution->binding->plan->steps[lent->index].device->service;

    return kinds == 0 && failed == device->service;
}

/* Puts the bounce buffers into the request. */
static void show(struct hy_lent_memory *lent)
{
    for (uint32_t i = 0; i < lent->step->request.pool_count; i++) {
        if (lent->shared[i])
            lent->step->pools[i] = *hy_memory_pool(lent->shared[i]);
    }
    for (uint32_t i = 0; i < count_places(lent); i++) {
        const struct place place = place_of(lent, i);
        if (is_there(&place) && lent->pools[place.pool].kind == HY_POOL_BUFFER)
            place.argument->location.length = place.given->length;
    }
}

static enum hy_code lend_all(struct hy_lent_memory *lent, const struct hy_runtime_device *device,
                             struct hy_error *err)
{
    const uint32_t count = lent->step->request.pool_count;
    enum hy_code code = HY_OK;

    lent->pools = calloc(count, sizeof *lent->pools);
    lent->shared = calloc(count, sizeof(struct hy_memory *));
    if (!lent->pools || !lent->shared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);
    memcpy(lent->pools, lent->step->pools, count * sizeof *lent->pools);
    hy_binding_forget_step(lent->execution->binding, lent->index);
    for (uint32_t i = 0; code == HY_OK && i < count_places(lent); i++) {
        const struct place place = place_of(lent, i);
        if (is_there(&place) && is_to_lend(lent, device, &place))
            code = lend_one(lent, &place, err);
    }
    return code;
}

enum hy_code hy_lent_memory_lend(struct hy_lent_memory *ret, const struct hy_execution *execution,
                                 uint32_t step, const struct hy_runtime_device *device,
                                 struct hy_error *err)
{
    struct hy_lent_memory lent = {
        .execution = execution, .step = &execution->binding->steps[step], .index = step};
    const uint32_t kinds = kinds_to_lend(&lent, device);

    enum hy_code code = hy_pool_kinds_check(device, lent.step->pool_kinds & ~kinds, err);
    if (code != HY_OK || has_nothing_to_lend(&lent, device, kinds))
        return code;
    code = lend_all(&lent, device, err);
    if (code != HY_OK) {
        hy_lent_memory_take_back(&lent);
        return code;
    }
    show(&lent);
    *ret = lent;
    return HY_OK;
}

enum hy_code hy_lent_memory_return(struct hy_lent_memory *lent, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; lent->shared && code == HY_OK && i < count_places(lent); i++) {
        const struct place place = place_of(lent, i);
        if (place.is_output && is_there(&place) && lent->shared[place.pool])
            code = return_one(lent, &place, err);
    }
    return code;
}

static void restore(struct hy_lent_memory *lent)
{
    memcpy(lent->step->pools, lent->pools, lent->step->request.pool_count * sizeof *lent->pools);
    for (uint32_t i = 0; i < count_places(lent); i++) {
        const struct place place = place_of(lent, i);
        if (is_there(&place) && lent->pools[place.pool].kind == HY_POOL_BUFFER)
            place.argument->location.length = 0;
    }
    hy_binding_forget_step(lent->execution->binding, lent->index);
}

void hy_lent_memory_take_back(struct hy_lent_memory *lent)
{
    if (lent->pools && lent->shared)
        restore(lent);
    for (uint32_t i = 0; lent->shared && i < lent->step->request.pool_count; i++)
        hy_memory_release(lent->shared[i]);
    free(lent->shared);
    free(lent->pools);
    *lent = (struct hy_lent_memory){0};
}
