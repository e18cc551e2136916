#include "cpu_fallback/program/plan.h"

#include "common/checked.h"
#include "common/inference/infer.h"
#include "cpu_fallback/program/chain.h"
#include "cpu_fallback/program/plan_memory.h"

static void set_inputs(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        struct hy_value *value = &plan->values[graph->inputs[i]];
        value->shape = plan->inputs[i].shape;
        value->known = plan->inputs[i].is_known;
        value->omitted = plan->inputs[i].is_omitted;
    }
}

/* Dynamic and empty steps have no choice of blocking. */
static enum hy_code check_uncut(const struct hy_cpu_blocking *blocking, struct hy_error *err)
{
    return blocking ? hy_fail(err, HY_FAILED, "the operation has no blocking") : HY_OK;
}

static enum hy_code plan_step(const struct hy_cpu_program *program, uint32_t index,
                              const struct hy_cpu_blocking *blocking, struct hy_cpu_plan *plan,
                              struct hy_error *err)
{
    struct hy_cpu_plan_step *step = &plan->steps[plan->step_count++];
    struct hy_call call = hy_cpu_graph_call(&program->graph, index, plan->values);

    bool sets_shapes = hy_infer_gives_limits(call.operation);
    *step = (struct hy_cpu_plan_step){
        .operation = index,
        .is_dynamic = sets_shapes || !hy_cpu_call_is_ready(&call),
        .replaces = HY_CPU_NO_OPERAND,
    };
    if (sets_shapes)
        hy_cpu_call_invalidate_outputs(&call);
    if (step->is_dynamic) {
        plan->dynamic_count++;
        return check_uncut(blocking, err);
    }
    enum hy_code code = hy_cpu_call_infer_shapes(&call, &plan->memory, err);
    if (code != HY_OK)
        return code;
    step->is_empty = hy_cpu_call_is_empty(&call);
    if (step->is_empty)
        return check_uncut(blocking, err);
    code = hy_cpu_program_resolve(program, index, &call, blocking, &plan->memory, &step->step, err);
    if (code == HY_OK && step->step.blockings)
        plan->blocking_count++;
    return code;
}

/* Dynamic steps have an unknown duration. */
static bool is_short(const struct hy_cpu_plan *plan)
{
    double us = 0;

    for (uint32_t i = 0; i < plan->step_count; i++)
        us += plan->steps[i].step.us;
    return plan->dynamic_count == 0 && us < HY_CPU_ALONE_US;
}

static enum hy_code plan_steps(const struct hy_cpu_program *program,
                               const struct hy_cpu_blocking *blockings, struct hy_cpu_plan *plan,
                               struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &program->graph;

    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (graph->operations[i].is_dropped || graph->operations[i].is_absorbed)
            continue;
        const bool is_blocked = blockings && blockings[i].is_made;
        enum hy_code code = plan_step(program, i, is_blocked ? &blockings[i] : NULL, plan, err);
        if (code != HY_OK)
            return hy_cpu_program_annotate_error(graph, i, code, err);
    }
    if (program->threads == 1 || is_short(plan))
        return HY_OK;
    plan->thread_policy = hy_arena_copy(&plan->memory, &(struct hy_cpu_thread_policy){0}, 1,
                                        sizeof *plan->thread_policy);
    return plan->thread_policy ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
}

static bool allocate(const struct hy_cpu_graph *graph, const struct hy_cpu_input *inputs,
                     struct hy_cpu_plan *plan)
{
    struct hy_arena *memory = &plan->memory;

    plan->inputs = hy_arena_copy(memory, inputs, graph->input_count, sizeof *inputs);
    plan->values = hy_arena_copy(memory, graph->values, graph->operand_count, sizeof *plan->values);
    plan->steps = hy_arena_alloc(memory, graph->operation_count * sizeof *plan->steps);
    plan->offsets = hy_arena_alloc(memory, graph->operand_count * sizeof *plan->offsets);
    return plan->inputs && plan->values && plan->steps && plan->offsets;
}

enum hy_code hy_cpu_plan_create(const struct hy_cpu_program *program,
                                const struct hy_cpu_input *inputs,
                                const struct hy_cpu_blocking *blockings, struct hy_cpu_plan **out,
                                struct hy_error *err)
{
    struct hy_cpu_plan *plan = hy_cpu_calloc(program->host, 1, sizeof *plan);

    if (plan)
        plan->memory = hy_cpu_arena(program->host);
    if (!plan || !allocate(&program->graph, inputs, plan)) {
        hy_cpu_plan_destroy(plan);
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    }
    set_inputs(&program->graph, plan);
    enum hy_code code = plan_steps(program, blockings, plan, err);
    if (code == HY_OK)
        code = hy_cpu_plan_lay_out(&program->graph, plan, err);
    if (code == HY_OK && program->kernels != hy_kernels_reference()) /* the oracle has no chains */
        code = hy_cpu_chain_join(program, plan, err);
    if (code != HY_OK) {
        hy_cpu_plan_destroy(plan);
        return code;
    }
    *out = plan;
    return HY_OK;
}

void hy_cpu_plan_destroy(struct hy_cpu_plan *plan)
{
    if (!plan)
        return;
    hy_cpu_plan_destroy(atomic_load_explicit(&plan->successor, memory_order_acquire));
    hy_arena_finish(&plan->memory);
    hy_cpu_free(plan);
}

const struct hy_cpu_plan *hy_cpu_plan_newest(const struct hy_cpu_plan *plan)
{
    const struct hy_cpu_plan *successor =
        atomic_load_explicit(&plan->successor, memory_order_acquire);

    return successor ? successor : plan;
}

uint64_t hy_cpu_plan_memory(const struct hy_cpu_plan *plan)
{
    uint64_t bytes;

    /* One more byte gives a step without scratch an address. */
    if (plan->dynamic_count > 0 ||
        !hy_add_u64(plan->arena.total, (uint64_t)plan->scratch_size + 1, &bytes))
        return 0;
    return bytes;
}

bool hy_cpu_plan_is_for(const struct hy_cpu_plan *plan, const struct hy_cpu_input *inputs,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (plan->inputs[i].is_known != inputs[i].is_known ||
            plan->inputs[i].is_omitted != inputs[i].is_omitted ||
            !hy_shape_equal(&plan->inputs[i].shape, &inputs[i].shape))
            return false;
    }
    return true;
}
