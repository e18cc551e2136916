#include "runtime/execute/lent_memory.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/execute/copied.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER (1u << HY_POOL_BUFFER)
#define HOST   (1u << HY_POOL_HOST)

/* An argument of the step; outputs come behind the inputs. */
struct place {
    struct hy_argument *argument;
    const struct hy_bound_argument *given; /* NULL: it goes from step to step */
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
        memcpy((char *)to->address + at->offset, (char *)pool->address + at->offset, bytes);
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
        memcpy((char *)pool->address + at->offset, (char *)from->address + at->offset, at->length);
    if (code == HY_OK)
        hy_copied_add(at->length);
    return code;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Borders of unknown size may move while the step runs, and stay. */
static uint32_t kinds_to_lend(const struct hy_lent_memory *lent,
                              const struct hy_runtime_device *device)
{
    const bool needs_host =
        !hy_pool_kind_is_known(device, HY_POOL_HOST) && !lent->execution->binding->memory.open;
    return lent->step->pool_kinds & (BUFFER | (needs_host ? HOST : 0));
}

/* The request names the shared memory now. */
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

static enum hy_code lend_all(struct hy_lent_memory *lent, uint32_t kinds, struct hy_error *err)
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
        if (is_there(&place) && kinds >> lent->pools[place.pool].kind & 1)
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
    if (code != HY_OK || kinds == 0)
        return code;
    code = lend_all(&lent, kinds, err);
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
