#include "runtime/execute/lent_memory.h"

#include "runtime/execute/copied.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

bool hy_lent_memory_is_needed(const struct hy_bound_step *step)
{
    for (uint32_t i = 0; i < step->request.pool_count; i++) {
        if (step->pools[i].kind == HY_POOL_BUFFER)
            return true;
    }
    return false;
}

/* An argument of the step; outputs come behind the inputs. */
struct place {
    struct hy_argument *argument;
    const struct hy_bound_argument *given; /* NULL: it goes from step to step */
    bool is_output;
    uint32_t output;
};

static struct place place_of(const struct hy_lent_memory *lent, uint32_t number)
{
    const struct hy_step *step = &lent->execution->binding->plan->steps[lent->index];
    struct place place = {.argument = &lent->step->arguments[number],
                          .is_output = number >= step->input_count};

    if (place.is_output)
        place.output = number - step->input_count;
    const struct hy_slot *slot =
        place.is_output ? &step->outputs[place.output] : &step->inputs[number];
    if (slot->kind == HY_SLOT_INPUT)
        place.given = &lent->execution->inputs[slot->index];
    else if (slot->kind == HY_SLOT_OUTPUT)
        place.given = &lent->execution->outputs[slot->index];
    return place;
}

/* The memory of a device that holds the argument, or NULL. */
static struct hy_domain *domain_of(const struct place *place)
{
    const bool is_there =
        place->given && place->given->memory && !(place->argument->flags & HY_ARGUMENT_NO_VALUE);
    struct hy_domain *domain = is_there ? hy_memory_domain(place->given->memory) : NULL;
    return domain && domain->device ? domain : NULL;
}

static enum hy_code lend_one(struct hy_lent_memory *lent, const struct place *place,
                             const struct hy_domain *domain, struct hy_error *err)
{
    struct hy_memory **shared = &lent->shared[place->argument->location.pool];
    uint64_t bytes;
    enum hy_code code = HY_OK;

    if ((domain->is_open && !hy_shape_is_complete(&place->given->shape)) ||
        !hy_domain_measure(domain, &place->given->shape, &bytes))
        return hy_fail(err, HY_FAILED, "memory of %s of unknown size",
                       hy_device_memory_device(domain->device)->info.name);
    if (!*shared)
        code = hy_memory_from_domain(NULL, bytes, shared, err);
    if (code == HY_OK && !place->is_output) {
        code = hy_device_memory_read(domain->device, hy_memory_pool(*shared), err);
        if (code == HY_OK)
            hy_copied_add(bytes);
    }
    return code;
}

/* The request names the shared memory now. */
static void show(struct hy_lent_memory *lent)
{
    for (uint32_t i = 0; i < lent->step->request.pool_count; i++) {
        if (lent->shared[i])
            lent->step->pools[i] = *hy_memory_pool(lent->shared[i]);
    }
    const uint32_t count = lent->step->request.input_count + lent->step->request.output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct place place = place_of(lent, i);
        if (domain_of(&place))
            place.argument->location.length = place.given->length;
    }
}

enum hy_code hy_lent_memory_lend(struct hy_lent_memory *ret, const struct hy_execution *execution,
                                 uint32_t step, struct hy_error *err)
{
    struct hy_bound_step *bound = &execution->binding->steps[step];
    struct hy_lent_memory lent = {.execution = execution, .step = bound, .index = step};
    const uint32_t count = bound->request.input_count + bound->request.output_count;
    enum hy_code code = HY_OK;

    lent.shared = calloc(bound->request.pool_count, sizeof(struct hy_memory *));
    if (!lent.shared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", bound->request.pool_count);
    hy_binding_forget_step(execution->binding, step);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        const struct place place = place_of(&lent, i);
        const struct hy_domain *domain = domain_of(&place);
        if (domain)
            code = lend_one(&lent, &place, domain, err);
    }
    if (code == HY_OK)
        show(&lent);
    else
        hy_lent_memory_take_back(&lent);
    if (code == HY_OK)
        *ret = lent;
    return code;
}

enum hy_code hy_lent_memory_return(struct hy_lent_memory *lent, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < lent->step->request.output_count; i++) {
        const struct place place = place_of(lent, lent->step->request.input_count + i);
        const struct hy_domain *domain = domain_of(&place);
        if (!domain)
            continue;
        code = hy_device_memory_write(domain->device,
                                      hy_memory_pool(lent->shared[place.argument->location.pool]),
                                      &place.given->shape, err);
        if (code == HY_OK)
            hy_copied_add(place.given->length);
    }
    return code;
}

void hy_lent_memory_take_back(struct hy_lent_memory *lent)
{
    if (!lent->shared)
        return;
    const uint32_t count = lent->step->request.input_count + lent->step->request.output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct place place = place_of(lent, i);
        if (!domain_of(&place))
            continue;
        place.argument->location.length = 0;
        lent->step->pools[place.argument->location.pool] = *hy_memory_pool(place.given->memory);
    }
    hy_binding_forget_step(lent->execution->binding, lent->index);
    for (uint32_t i = 0; i < lent->step->request.pool_count; i++)
        hy_memory_release(lent->shared[i]);
    free(lent->shared);
    lent->shared = NULL;
}
