#include "cpu_fallback/run/dynamic_step.h"

#include <string.h>

#include "common/inference/infer.h"

static bool is_parameter(const struct hy_call *call, uint32_t index)
{
    return hy_infer_needs_value(call->operation, index, call->input_count) &&
           !hy_call_input(call, index)->omitted;
}

/* True if the step was resolved for the same inputs. */
static bool is_same(const struct hy_call *resolved, const struct hy_call *call)
{
    if (!resolved->values)
        return false;
    for (uint32_t i = 0; i < call->input_count; i++) {
        const struct hy_value *old = hy_call_input(resolved, i), *new = hy_call_input(call, i);
        if (old->omitted != new->omitted || !hy_shape_equal(&old->shape, &new->shape))
            return false;
        if (is_parameter(call, i) && memcmp(old->data, new->data, hy_cpu_value_bytes(new)) != 0)
            return false;
    }
    return true;
}

/*
 * Copies the call with the values of its parameters. The originals may lie in memory that other
 * processes write to; every result must follow from the same bytes.
 */
static bool copy_call(struct hy_arena *memory, const struct hy_call *call,
                      const struct hy_value *declared, struct hy_call *copy)
{
    uint32_t count = call->input_count + call->output_count;
    struct hy_value *values = hy_arena_alloc(memory, count * sizeof *values);
    uint32_t *indices = hy_arena_alloc(memory, count * sizeof *indices);

    if (!values || !indices)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = i;
        values[i] = i < call->input_count ? *hy_call_input(call, i)
                                          : declared[call->outputs[i - call->input_count]];
        if (i >= call->input_count || !is_parameter(call, i))
            continue;
        values[i].data = hy_arena_copy(memory, values[i].data, hy_cpu_value_bytes(&values[i]), 1);
        if (!values[i].data)
            return false;
    }
    *copy = *call;
    copy->inputs = indices;
    copy->outputs = indices + call->input_count;
    copy->values = values;
    return true;
}

static enum hy_code resolve(struct hy_cpu_dynamic_step *dynamic,
                            const struct hy_cpu_program *program, uint32_t index,
                            const struct hy_call *call, const struct hy_value *declared,
                            struct hy_error *err)
{
    struct hy_call copy;

    dynamic->memory = hy_cpu_arena(program->host);
    if (!copy_call(&dynamic->memory, call, declared, &copy))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    enum hy_code code = hy_cpu_call_infer_shapes(&copy, &dynamic->memory, err);
    if (code != HY_OK)
        return code;
    dynamic->is_empty = hy_cpu_call_is_empty(&copy);
    if (!dynamic->is_empty)
        code = hy_cpu_program_resolve(program, index, &copy, NULL, &dynamic->memory, &dynamic->step,
                                      err);
    if (code == HY_OK)
        dynamic->call = copy;
    return code;
}

enum hy_code hy_cpu_dynamic_step_resolve(struct hy_cpu_dynamic_step *dynamic,
                                         const struct hy_cpu_program *program, uint32_t index,
                                         const struct hy_call *call,
                                         const struct hy_value *declared, struct hy_error *err)
{
    if (!is_same(&dynamic->call, call)) {
        hy_cpu_dynamic_step_finish(dynamic);
        enum hy_code code = resolve(dynamic, program, index, call, declared, err);
        if (code != HY_OK) {
            hy_cpu_dynamic_step_finish(dynamic);
            return code;
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        hy_call_output(call, i)->shape = hy_call_output(&dynamic->call, i)->shape;
        hy_call_output(call, i)->known = true;
    }
    return HY_OK;
}

void hy_cpu_dynamic_step_finish(struct hy_cpu_dynamic_step *dynamic)
{
    hy_arena_finish(&dynamic->memory);
    *dynamic = (struct hy_cpu_dynamic_step){0};
}
