#include "domain_target.h"

#include "runtime/compile/compilation.h"

#include <stdlib.h>

/* Called for each input or output of a step that uses the memory. */
typedef void visit(struct hy_domain_target *target, const struct hy_memory_use *use,
                   const struct hy_step *step, bool is_output, uint32_t index);

static bool is_same(const struct hy_slot *slot, const struct hy_memory_role *role)
{
    const enum hy_slot_kind kind = role->is_output ? HY_SLOT_OUTPUT : HY_SLOT_INPUT;
    return slot->kind == kind && slot->index == role->index;
}

/* Later steps may read an output of the model. */
static void visit_slots(struct hy_domain_target *target, const struct hy_memory_use *use,
                        visit *function)
{
    const struct hy_plan *plan = use->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->input_count; k++) {
            if (is_same(&step->inputs[k], &use->role))
                function(target, use, step, false, k);
        }
        for (uint32_t k = 0; k < step->output_count; k++) {
            if (is_same(&step->outputs[k], &use->role))
                function(target, use, step, true, k);
        }
    }
}

static void count(struct hy_domain_target *target, const struct hy_memory_use *use,
                  const struct hy_step *step, bool is_output, uint32_t index)
{
    (void)use, (void)is_output, (void)index;
    if (target->role_count++ == 0)
        target->device = step->device;
    target->has_several |= step->device != target->device;
    target->is_interpreted |= step->device->kind == HY_DEVICE_HIDDEN;
}

static uint32_t number_of(struct hy_domain_target *target, const struct hy_memory_use *use,
                          const struct hy_step *step)
{
    for (uint32_t i = 0; i < target->prepared_count; i++) {
        if (target->prepared[i] == step->prepared)
            return i;
    }
    target->prepared[target->prepared_count] = step->prepared;
    target->compilations[target->prepared_count] = use->compilation;
    return target->prepared_count++;
}

static void note(struct hy_domain_target *target, const struct hy_memory_use *use,
                 const struct hy_step *step, bool is_output, uint32_t index)
{
    target->roles[target->role_count++] = (struct hy_buffer_role){
        .prepared = number_of(target, use, step),
        .is_output = is_output,
        .index = index,
        .frequency = use->frequency,
    };
}

enum hy_code hy_domain_target_find(const struct hy_memory_use *uses, uint32_t use_count,
                                   struct hy_domain_target *ret, struct hy_error *err)
{
    struct hy_domain_target target = {0};

    for (uint32_t i = 0; i < use_count; i++)
        visit_slots(&target, &uses[i], count);
    const size_t capacity = (size_t)target.role_count + 1; /* + 1, as calloc(0) may return NULL */
    target.prepared = calloc(capacity, sizeof *target.prepared);
    target.compilations = calloc(capacity, sizeof(struct hy_compilation *));
    target.roles = calloc(capacity, sizeof *target.roles);
    if (!target.prepared || !target.compilations || !target.roles) {
        hy_domain_target_finish(&target);
        return hy_fail(err, HY_OUT_OF_MEMORY, "roles of memory in %u steps", target.role_count);
    }
    target.role_count = 0;
    for (uint32_t i = 0; i < use_count; i++)
        visit_slots(&target, &uses[i], note);
    if (target.has_several)
        target.device = NULL;
    *ret = target;
    return HY_OK;
}

void hy_domain_target_finish(struct hy_domain_target *target)
{
    free(target->prepared);
    free(target->compilations);
    free(target->roles);
}
