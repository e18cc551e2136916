#include "runtime/control_flow/nested_interpreted.h"

#include "common/operations/control_flow.h"
#include "runtime/control_flow/nested_control_flow.h"
#include "runtime/drivers/host.h"
#include "runtime/plan/alloc.h"

#include <stdlib.h>

/* ---- Preparing ------------------------------------------------------------------------------- */

static uint32_t find(const uint32_t *list, uint32_t count, uint32_t operand)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == operand)
            return i;
    }
    return HY_NOT_GIVEN;
}

static enum hy_code find_source(const struct hy_model *model, uint32_t number,
                                struct hy_nested_source *ret, struct hy_error *err)
{
    const struct hy_subgraph *graph = model->main;
    const struct hy_operand *operand = &graph->operands[number];
    void *address = NULL;

    *ret = (struct hy_nested_source){.input = HY_NOT_GIVEN};
    switch (operand->lifetime) {
    case HY_LIFETIME_NO_VALUE:
        return HY_OK;
    case HY_LIFETIME_CONSTANT_COPY: /* read-only */
        address = (void *)(uintptr_t)model->values;
        break;
    case HY_LIFETIME_CONSTANT_POOL:
        if (hy_runtime_map(&model->pools[operand->location.pool], HY_PROTECT_READ, &address) !=
            HY_STATUS_OK)
            return hy_fail(err, HY_FAILED, "operand %u: the memory cannot be mapped", number);
        break;
    default:
        ret->input = find(graph->inputs, graph->input_count, number);
        return HY_OK;
    }
    ret->constant = (struct hy_nested_argument){
        .address = (char *)address + operand->location.offset,
        .length = operand->location.length,
    };
    return HY_OK;
}

static enum hy_code find_sources(struct hy_interpreted *own, const struct hy_model *model,
                                 const struct hy_operation *operation, struct hy_error *err)
{
    const uint32_t first = hy_control_flow_first_value(operation->type);
    enum hy_code code = HY_OK;

    if (operation->type == HY_OP_IF)
        code = find_source(model, operation->inputs[0], &own->condition, err);
    for (uint32_t i = 0; code == HY_OK && i < own->value_count; i++)
        code = find_source(model, operation->inputs[first + i], &own->values[i], err);
    return code;
}

/* Assigns offsets in a block to the states. */
static bool assign_state_offsets(struct hy_interpreted *own, const struct hy_subgraph *body)
{
    for (uint32_t i = 0; i < own->state_count; i++) {
        size_t capacity;
        own->offsets[i] = own->block_bytes;
        own->lengths[i] = hy_operand_bytes(&body->operands[body->outputs[i]]);
        if (!hy_round_up_size(own->lengths[i], HY_BOUNDARY_ALIGNMENT, &capacity) ||
            !hy_add_u64(own->block_bytes, capacity, &own->block_bytes))
            return false;
    }
    return own->block_bytes < SIZE_MAX / 4;
}

static enum hy_code fill(struct hy_interpreted *own, const struct hy_model *model,
                         const struct hy_subgraph *body, struct hy_error *err)
{
    const struct hy_operation *operation = &model->main->operations[0];
    struct hy_arena *arena = &own->arena;

    own->type = operation->type;
    own->graph = model->main;
    own->value_count = operation->input_count - hy_control_flow_first_value(operation->type);
    own->output_count = operation->output_count;
    own->state_count = operation->type == HY_OP_WHILE ? body->output_count : 0;
    own->values = hy_plan_alloc(arena, own->value_count, sizeof *own->values);
    own->outputs = hy_plan_alloc(arena, own->output_count, sizeof *own->outputs);
    own->offsets = hy_plan_alloc(arena, own->state_count, sizeof *own->offsets);
    own->lengths = hy_plan_alloc(arena, own->state_count, sizeof *own->lengths);
    if (!own->values || !own->outputs || !own->offsets || !own->lengths ||
        !assign_state_offsets(own, body))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u loop values", own->value_count);
    for (uint32_t i = 0; i < own->output_count; i++)
        own->outputs[i] =
            find(model->main->outputs, model->main->output_count, operation->outputs[i]);
    return find_sources(own, model, operation, err);
}

static enum hy_code prepare_body(struct hy_body *body, struct hy_error *err)
{
    if (body->compilation)
        return HY_OK;
    enum hy_code code = hy_plan_prepare(body->plan, err);
    return code == HY_OK ? hy_compilation_create_nested(body->plan, &body->compilation, err) : code;
}

static void finish_frame(struct hy_nested_frame *frame)
{
    free(frame->memory);
    free(frame->arguments);
}

void hy_interpreted_destroy(void *self)
{
    struct hy_interpreted *own = self;

    for (uint32_t i = 0; i < HY_FRAMES_CACHED; i++)
        finish_frame(&own->frames[i]);
    for (uint32_t i = 0; i < 2; i++)
        hy_compilation_release(own->bodies[i]);
    hy_arena_finish(&own->arena);
    free(own);
}

enum hy_code hy_interpreted_create(struct hy_bodies *bodies, const struct hy_model *model,
                                   void **ret, struct hy_error *err)
{
    const struct hy_operation *operation = &model->main->operations[0];
    struct hy_interpreted *own = calloc(1, sizeof *own);
    enum hy_code code = HY_OK;
    if (!own)
        return hy_fail(err, HY_OUT_OF_MEMORY, "interpreted operation");

    for (uint32_t i = 0; code == HY_OK && i < 2; i++) {
        struct hy_body *body = hy_bodies_find(bodies, model, operation, i);
        code = prepare_body(body, err);
        if (code == HY_OK)
            own->bodies[i] = hy_compilation_retain(body->compilation);
    }
    if (code == HY_OK)
        code = fill(own, model, hy_bodies_find(bodies, model, operation, 1)->model.main, err);
    if (code != HY_OK) {
        hy_interpreted_destroy(own);
        return code;
    }
    *ret = own;
    return HY_OK;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool init_frame(const struct hy_interpreted *own, struct hy_nested_frame *frame)
{
    const size_t results =
        own->state_count > own->output_count ? own->state_count : own->output_count;

    if (frame->memory)
        return true;
    frame->memory =
        aligned_alloc(HY_BOUNDARY_ALIGNMENT, HY_BOUNDARY_ALIGNMENT + 2 * (size_t)own->block_bytes);
    frame->arguments = calloc((size_t)2 * own->value_count + results + 1, sizeof *frame->arguments);
    if (frame->memory && frame->arguments)
        return true;
    finish_frame(frame);
    frame->memory = NULL;
    frame->arguments = NULL;
    return false;
}

struct hy_nested_frame *hy_nested_frame_enter(struct hy_interpreted *own,
                                              struct hy_nested_frame *stack_frame)
{
    struct hy_nested_frame *frame = stack_frame;

    for (uint32_t i = 0; frame == stack_frame && i < HY_FRAMES_CACHED; i++) {
        if (!atomic_load_explicit(&own->frames[i].is_used, memory_order_relaxed) &&
            !atomic_exchange_explicit(&own->frames[i].is_used, true, memory_order_acquire))
            frame = &own->frames[i];
    }
    if (init_frame(own, frame))
        return frame;
    atomic_store_explicit(&frame->is_used, false, memory_order_release);
    return NULL;
}

void hy_nested_frame_leave(struct hy_nested_frame *frame, struct hy_nested_frame *stack_frame)
{
    if (frame == stack_frame)
        finish_frame(frame);
    else
        atomic_store_explicit(&frame->is_used, false, memory_order_release);
}
