#include "cpu_fallback/program/cpu_call.h"

#include "common/inference/infer.h"
#include "common/operations/control_flow.h"
#include "common/operations/operand_type.h"
#include "common/operations/shape.h"
#include "cpu_fallback/program/graph.h"

uint64_t hy_cpu_value_bytes(const struct hy_value *value)
{
    uint64_t bytes = 0;

    /* Cannot overflow: every shape was checked when it became known. */
    (void)hy_shape_bytes(&value->shape, hy_operand_type_bytes(value->type), &bytes);
    return bytes;
}

bool hy_cpu_call_is_ready(const struct hy_call *call)
{
    return !hy_is_control_flow(call->operation) && hy_infer_is_ready(call);
}

static enum hy_code check_declared(const struct hy_value *value, uint32_t index,
                                   const struct hy_shape *shape, struct hy_error *err)
{
    char declared[HY_SHAPE_TEXT_SIZE], inferred[HY_SHAPE_TEXT_SIZE];

    if (value->known ? hy_shape_equal(&value->shape, shape) : hy_shape_fits(&value->shape, shape))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "output %u is declared as %s, but has shape %s", index,
                   hy_shape_text(&value->shape, declared), hy_shape_text(shape, inferred));
}

static enum hy_code set_output(const struct hy_call *call, uint32_t index,
                               const struct hy_shape *shape, struct hy_error *err)
{
    struct hy_value *value = hy_call_output(call, index);
    char inferred[HY_SHAPE_TEXT_SIZE];
    uint64_t bytes;

    if (!hy_infer_gives_limits(call->operation)) {
        enum hy_code code = check_declared(value, index, shape, err);
        if (code != HY_OK)
            return code;
    }
    if (!hy_shape_bytes(shape, hy_operand_type_bytes(value->type), &bytes) ||
        bytes > HY_CPU_TENSOR_LIMIT)
        return hy_fail(err, HY_FAILED, "output %u of shape %s is larger than %llu bytes", index,
                       hy_shape_text(shape, inferred), (unsigned long long)HY_CPU_TENSOR_LIMIT);
    value->shape = *shape;
    value->known = true;
    return HY_OK;
}

enum hy_code hy_cpu_call_infer_shapes(const struct hy_call *call, struct hy_arena *memory,
                                      struct hy_error *err)
{
    struct hy_shape few[4]; /* enough for nearly every operation */
    struct hy_shape *shapes = few;

    if (call->output_count > sizeof few / sizeof *few)
        shapes = hy_arena_alloc(memory, call->output_count * sizeof *shapes);
    if (!shapes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u shapes", call->output_count);
    enum hy_code code = hy_infer_shapes(call, shapes, err);
    for (uint32_t i = 0; i < call->output_count && code == HY_OK; i++)
        code = set_output(call, i, &shapes[i], err);
    return code;
}

void hy_cpu_call_invalidate_outputs(const struct hy_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++)
        hy_call_output(call, i)->known = false;
}

bool hy_cpu_call_is_empty(const struct hy_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        uint64_t elements;
        if (hy_shape_elements(&hy_call_output(call, i)->shape, &elements) && elements > 0)
            return false;
    }
    return true;
}
