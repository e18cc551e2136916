#include "cpu_fallback/run/output.h"

#include "common/inference/infer.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/buffers/cpu_buffer.h"

static uint32_t output_number(const struct hy_cpu_graph *graph, uint32_t operand)
{
    uint32_t index = 0;

    while (graph->outputs[index] != operand)
        index++;
    return index;
}

static bool is_temporary(const struct hy_cpu_graph *graph, uint32_t operand)
{
    return graph->operands[operand].lifetime == HY_LIFETIME_TEMPORARY;
}

/* Allocates memory of the context for an operand outside the arena. */
static enum hy_code spill(struct hy_cpu_context *context, uint32_t operand, struct hy_error *err)
{
    struct hy_value *value = &context->values[operand];

    const struct hy_cpu_block *block =
        hy_cpu_context_spill(context, operand, hy_cpu_value_bytes(value));
    if (!block)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for operand %u of %llu bytes", operand,
                       (unsigned long long)hy_cpu_value_bytes(value));
    value->data = block->bytes;
    return HY_OK;
}

static enum hy_code check_target(const struct hy_cpu_target *target, uint32_t index,
                                 const struct hy_shape *shape, struct hy_error *err)
{
    char declared[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    if (hy_shape_fits(&target->declared, shape))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "output %u has shape %s, the request says %s", index,
                   hy_shape_text(shape, actual), hy_shape_text(&target->declared, declared));
}

enum hy_code hy_cpu_output_reserve(struct hy_cpu_target *target, const struct hy_value *value,
                                   struct hy_error *err)
{
    if (!target->buffer)
        return HY_OK;
    target->length = hy_cpu_value_bytes(value);
    return hy_cpu_buffer_reserve(target->buffer, target->length, &target->destination, err);
}

enum hy_code hy_cpu_output_alloc(const struct hy_cpu_graph *graph, struct hy_cpu_context *context,
                                 uint32_t index, struct hy_error *err)
{
    struct hy_cpu_target *target = &context->targets[index];
    uint32_t operand = graph->outputs[index];
    struct hy_value *value = &context->values[operand];

    enum hy_code code = check_target(target, index, &value->shape, err);
    if (code == HY_OK)
        code = hy_cpu_output_reserve(target, value, err);
    if (code != HY_OK)
        return code;
    if (target->destination && !target->is_write_only &&
        target->length >= hy_cpu_value_bytes(value) &&
        (uintptr_t)target->destination % hy_operand_type_bytes(value->type) == 0) {
        value->data = target->destination;
        return HY_OK;
    }
    return spill(context, operand, err);
}

enum hy_code hy_cpu_output_alloc_dynamic(const struct hy_cpu_graph *graph,
                                         struct hy_cpu_context *context, const struct hy_call *call,
                                         struct hy_error *err)
{
    bool sets_shapes = hy_infer_gives_limits(call->operation);

    for (uint32_t i = 0; i < call->output_count; i++) {
        uint32_t operand = call->outputs[i];
        enum hy_code code = HY_OK;
        if (context->plan->values[operand].known)
            continue; /* already has memory */
        if (sets_shapes || is_temporary(graph, operand))
            code = spill(context, operand, err);
        else
            code = hy_cpu_output_alloc(graph, context, output_number(graph, operand), err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

enum hy_code hy_cpu_output_check_set(const struct hy_cpu_graph *graph,
                                     const struct hy_cpu_context *context,
                                     const struct hy_call *call, struct hy_error *err)
{
    char declared[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    for (uint32_t i = 0; i < call->output_count; i++) {
        uint32_t operand = call->outputs[i];
        const struct hy_shape *shape = &hy_call_output(call, i)->shape;
        const struct hy_shape *promised = &context->plan->values[operand].shape;
        enum hy_code code = HY_OK;
        if (!is_temporary(graph, operand)) {
            uint32_t index = output_number(graph, operand);
            code = check_target(&context->targets[index], index, shape, err);
        } else if (!hy_shape_fits(promised, shape)) {
            code = hy_fail(err, HY_FAILED, "output %u is declared as %s, but has shape %s", i,
                           hy_shape_text(promised, declared), hy_shape_text(shape, actual));
        }
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}
