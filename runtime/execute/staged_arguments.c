#include "runtime/execute/staged_arguments.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/execute/copied.h"
#include "runtime/extension/type_facts.h"
#include "runtime/memory/memory.h"
#include "runtime/plan/take.h"

#include <string.h>

/* ---- Places ---------------------------------------------------------------------------------- */

static void mark(const struct hy_slot *slots, uint32_t count, uint32_t input_count, bool *is_needed)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].kind == HY_SLOT_INPUT)
            is_needed[slots[i].index] = true;
        else if (slots[i].kind == HY_SLOT_OUTPUT)
            is_needed[input_count + slots[i].index] = true;
    }
}

enum hy_code hy_staged_arguments_init(struct hy_staged_arguments *staged,
                                      const struct hy_plan *plan, struct hy_arena *arena,
                                      struct hy_error *err)
{
    const struct hy_subgraph *graph = plan->request.model->main;
    const size_t count = (size_t)graph->input_count + graph->output_count;

    *staged = (struct hy_staged_arguments){0};
    if (!plan->needs_handles)
        return HY_OK;
    staged->is_needed = hy_plan_take(arena, count, sizeof *staged->is_needed);
    staged->offsets = hy_plan_take(arena, count, sizeof *staged->offsets);
    if (!staged->is_needed || !staged->offsets)
        return hy_fail(err, HY_OUT_OF_MEMORY, "places of %zu arguments", count);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        if (hy_pool_kind_is_known(step->device, HY_POOL_HOST))
            continue;
        mark(step->inputs, step->input_count, graph->input_count, staged->is_needed);
        mark(step->outputs, step->output_count, graph->input_count, staged->is_needed);
    }
    return HY_OK;
}

void hy_staged_arguments_finish(struct hy_staged_arguments *staged)
{
    hy_memory_release(staged->memory);
    staged->memory = NULL;
}

static const struct hy_bound_argument *argument_at(const struct hy_execution *execution,
                                                   uint32_t number)
{
    return number < execution->input_count ? &execution->inputs[number]
                                           : &execution->outputs[number - execution->input_count];
}

/* Where the next one may begin. Lengths have 32 bits, and so has the number of arguments. */
static uint64_t end_of(uint64_t offset, const struct hy_bound_argument *argument)
{
    const uint64_t end = offset + argument->length + argument->padding;
    return (end + HY_BORDER_ALIGNMENT - 1) / HY_BORDER_ALIGNMENT * HY_BORDER_ALIGNMENT;
}

enum hy_code hy_staged_arguments_place(struct hy_staged_arguments *staged,
                                       const struct hy_execution *execution, struct hy_error *err)
{
    uint64_t bytes = 0;

    if (!staged->is_needed)
        return HY_OK;
    for (uint32_t i = 0; i < execution->input_count + execution->output_count; i++) {
        const struct hy_bound_argument *argument = argument_at(execution, i);
        const bool is_staged = staged->is_needed[i] && !argument->memory && !argument->is_omitted;
        staged->offsets[i] = is_staged ? bytes : HY_NOT_STAGED;
        bytes = is_staged ? end_of(bytes, argument) : bytes;
    }
    if (bytes == 0 || (staged->memory && hy_memory_pool(staged->memory)->size >= bytes))
        return HY_OK;
    hy_staged_arguments_finish(staged);
    return hy_memory_from_domain(NULL, bytes, &staged->memory, err);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static char *place_of(const struct hy_staged_arguments *staged, uint32_t number)
{
    return (char *)hy_memory_pool(staged->memory)->address + staged->offsets[number];
}

void hy_staged_arguments_copy_in(const struct hy_staged_arguments *staged,
                                 const struct hy_execution *execution)
{
    for (uint32_t i = 0; i < execution->input_count; i++) {
        if (staged->offsets[i] == HY_NOT_STAGED)
            continue;
        memcpy(place_of(staged, i), execution->inputs[i].buffer, execution->inputs[i].length);
        hy_copied_add(execution->inputs[i].length);
    }
}

/* The bytes of what has come out; all that there are where its type does not tell. */
static uint64_t bytes_of(const struct hy_execution *execution, uint32_t index)
{
    const struct hy_subgraph *graph = execution->compilation->plan->request.model->main;
    const struct hy_operand *operand = &graph->operands[graph->outputs[index]];
    const uint64_t room = execution->outputs[index].length;
    struct hy_type_facts type;
    uint64_t bytes;

    if (!hy_type_facts_find(operand->type, &type) || type.element_bytes == 0 || type.is_scalar ||
        !hy_shape_bytes(&execution->output_states[index].shape, type.element_bytes, &bytes))
        return room;
    return bytes < room ? bytes : room;
}

void hy_staged_arguments_copy_out(const struct hy_staged_arguments *staged,
                                  const struct hy_execution *execution)
{
    for (uint32_t i = 0; i < execution->output_count; i++) {
        const uint32_t number = execution->input_count + i;
        if (staged->offsets[number] == HY_NOT_STAGED)
            continue;
        const uint64_t bytes = bytes_of(execution, i);
        memcpy(execution->outputs[i].buffer, place_of(staged, number), bytes);
        hy_copied_add(bytes);
    }
}
