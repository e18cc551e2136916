#include "placement.h"

#include "runtime/compile/compilation.h"

#include <stdlib.h>

/* Called for each input or output of a step that uses the memory. */
typedef void visit(struct hy_placement *placement, const struct hy_memory_use *use,
                   const struct hy_step *step, bool is_output, uint32_t index);

static bool is_same(const struct hy_slot *slot, const struct hy_memory_role *role)
{
    const enum hy_slot_kind kind = role->is_output ? HY_SLOT_OUTPUT : HY_SLOT_INPUT;
    return slot->kind == kind && slot->index == role->index;
}

/* Later steps may read an output of the model. */
static void visit_slots(struct hy_placement *placement, const struct hy_memory_use *use,
                        visit *function)
{
    const struct hy_plan *plan = use->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->input_count; k++) {
            if (is_same(&step->inputs[k], &use->role))
                function(placement, use, step, false, k);
        }
        for (uint32_t k = 0; k < step->output_count; k++) {
            if (is_same(&step->outputs[k], &use->role))
                function(placement, use, step, true, k);
        }
    }
}

static void count(struct hy_placement *placement, const struct hy_memory_use *use,
                  const struct hy_step *step, bool is_output, uint32_t index)
{
    (void)use, (void)is_output, (void)index;
    if (placement->role_count++ == 0)
        placement->device = step->device;
    placement->has_several |= step->device != placement->device;
    placement->is_interpreted |= step->device->kind == HY_DEVICE_HIDDEN;
}

static uint32_t number_of(struct hy_placement *placement, const struct hy_memory_use *use,
                          const struct hy_step *step)
{
    for (uint32_t i = 0; i < placement->prepared_count; i++) {
        if (placement->prepared[i] == step->prepared)
            return i;
    }
    placement->prepared[placement->prepared_count] = step->prepared;
    placement->compilations[placement->prepared_count] = use->compilation;
    return placement->prepared_count++;
}

static void note(struct hy_placement *placement, const struct hy_memory_use *use,
                 const struct hy_step *step, bool is_output, uint32_t index)
{
    placement->roles[placement->role_count++] = (struct hy_buffer_role){
        .prepared = number_of(placement, use, step),
        .is_output = is_output,
        .index = index,
        .frequency = use->frequency,
    };
}

enum hy_code hy_placement_find(const struct hy_memory_use *uses, uint32_t use_count,
                               struct hy_placement *ret, struct hy_error *err)
{
    struct hy_placement placement = {0};

    for (uint32_t i = 0; i < use_count; i++)
        visit_slots(&placement, &uses[i], count);
    const size_t room = (size_t)placement.role_count + 1; /* + 1, as calloc(0) may return NULL */
    placement.prepared = calloc(room, sizeof *placement.prepared);
    placement.compilations = calloc(room, sizeof(struct hy_compilation *));
    placement.roles = calloc(room, sizeof *placement.roles);
    if (!placement.prepared || !placement.compilations || !placement.roles) {
        hy_placement_finish(&placement);
        return hy_fail(err, HY_OUT_OF_MEMORY, "roles of memory in %u steps", placement.role_count);
    }
    placement.role_count = 0;
    for (uint32_t i = 0; i < use_count; i++)
        visit_slots(&placement, &uses[i], note);
    if (placement.has_several)
        placement.device = NULL;
    *ret = placement;
    return HY_OK;
}

void hy_placement_finish(struct hy_placement *placement)
{
    free(placement->prepared);
    free(placement->compilations);
    free(placement->roles);
}
