#include "app_model.h"

static enum hy_code check_counts(const struct hy_app_model *model, uint32_t input_count,
                                 uint32_t output_count, struct hy_error *err)
{
    if (input_count == 0 || output_count == 0)
        return hy_fail(err, HY_BAD_DATA,
                       "%u inputs and %u outputs, a model has at least one of each", input_count,
                       output_count);
    if (model->identified)
        return hy_fail(err, HY_BAD_DATA,
                       "the %u inputs and %u outputs of the model are identified already",
                       model->input_count, model->output_count);
    return HY_OK;
}

static enum hy_code check_indices(const struct hy_app_model *model, const char *role,
                                  uint32_t count, const uint32_t *indices, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code = hy_app_model_check_operand(model, indices[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "%s %u", role, i);
    }
    return HY_OK;
}

static enum hy_code fail_already_used(const struct hy_operand *operand, const char *role,
                                      uint32_t number, uint32_t index, struct hy_error *err)
{
    const char *usage = "has a value";
    if (operand->lifetime == HY_LIFETIME_INPUT)
        usage = "is already listed as an input";
    else if (operand->lifetime == HY_LIFETIME_OUTPUT)
        usage = "is already listed as an output";
    return hy_fail(err, HY_BAD_DATA, "%s %u is operand %u, which %s", role, number, index, usage);
}

/* Marks the operands of a list, which must all be unmarked. `*marked` counts the marked
 * operands. */
static enum hy_code mark(struct hy_app_model *model, const char *role, int32_t lifetime,
                         uint32_t count, const uint32_t *indices, uint32_t *marked,
                         struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_operand *operand = &model->operands[indices[i]];
        if (operand->lifetime != HY_LIFETIME_TEMPORARY)
            return fail_already_used(operand, role, i, indices[i], err);
        operand->lifetime = lifetime;
        ++*marked;
    }
    return HY_OK;
}

static void unmark(struct hy_app_model *model, uint32_t count, const uint32_t *indices)
{
    for (uint32_t i = 0; i < count; i++)
        model->operands[indices[i]].lifetime = HY_LIFETIME_TEMPORARY;
}

static enum hy_code mark_both(struct hy_app_model *model, uint32_t input_count,
                              const uint32_t *inputs, uint32_t output_count,
                              const uint32_t *outputs, struct hy_error *err)
{
    uint32_t marked_inputs = 0, marked_outputs = 0;

    enum hy_code code =
        mark(model, "input", HY_LIFETIME_INPUT, input_count, inputs, &marked_inputs, err);
    if (code == HY_OK)
        code =
            mark(model, "output", HY_LIFETIME_OUTPUT, output_count, outputs, &marked_outputs, err);
    if (code != HY_OK) {
        unmark(model, marked_inputs, inputs);
        unmark(model, marked_outputs, outputs);
    }
    return code;
}

enum hy_code hy_app_model_identify(struct hy_app_model *model, uint32_t input_count,
                                   const uint32_t *inputs, uint32_t output_count,
                                   const uint32_t *outputs, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = check_counts(model, input_count, output_count, err);
    if (code == HY_OK)
        code = check_indices(model, "input", input_count, inputs, err);
    if (code == HY_OK)
        code = check_indices(model, "output", output_count, outputs, err);
    if (code != HY_OK)
        return code;

    uint32_t *own_inputs = hy_arena_copy(&model->arena, inputs, input_count, sizeof *inputs);
    uint32_t *own_outputs = hy_arena_copy(&model->arena, outputs, output_count, sizeof *outputs);
    if (!own_inputs || !own_outputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "lists of %u inputs and %u outputs", input_count,
                       output_count);
    code = mark_both(model, input_count, own_inputs, output_count, own_outputs, err);
    if (code != HY_OK)
        return code;

    model->inputs = own_inputs;
    model->input_count = input_count;
    model->outputs = own_outputs;
    model->output_count = output_count;
    model->identified = true;
    return HY_OK;
}
