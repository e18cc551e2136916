#include "common/operations/control_flow.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "common/operations/shape.h"

/* A value on one side of a body's boundary, with its description. */
struct end {
    const struct hy_operand *operand;
    const char *what; /* "input", "output 2 of the else-model" */
    uint32_t index;
};

static struct end body_input(const struct hy_subgraph *body, const char *name, uint32_t index)
{
    return (struct end){&body->operands[body->inputs[index]], name, index};
}

static struct end body_output(const struct hy_subgraph *body, const char *name, uint32_t index)
{
    return (struct end){&body->operands[body->outputs[index]], name, index};
}

static bool same_channels(const struct hy_operand *a, const struct hy_operand *b)
{
    if (!a->channel_scales || !b->channel_scales)
        return a->channel_scales == b->channel_scales;
    return a->channel_dim == b->channel_dim && a->channel_count == b->channel_count &&
           memcmp(a->channel_scales, b->channel_scales,
                  a->channel_count * sizeof *a->channel_scales) == 0;
}

static bool same_extension_data(const struct hy_operand *a, const struct hy_operand *b)
{
    return a->extension_length == b->extension_length &&
           (a->extension_length == 0 ||
            memcmp(a->extension_data, b->extension_data, a->extension_length) == 0);
}

static enum hy_code check_extents(struct end a, struct end b, struct hy_error *err)
{
    char left[HY_SHAPE_TEXT_SIZE], right[HY_SHAPE_TEXT_SIZE];
    struct hy_shape one, other, both;

    if (!hy_shape_set(&one, a.operand->rank, a.operand->dims) ||
        !hy_shape_set(&other, b.operand->rank, b.operand->dims))
        return hy_fail(err, HY_BAD_DATA, "%s %u has rank %u, %s %u has rank %u, the limit is %u",
                       a.what, a.index, a.operand->rank, b.what, b.index, b.operand->rank,
                       HY_MAX_RANK);
    if (hy_shape_combine(&one, &other, &both))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%s %u has shape %s, %s %u has %s", a.what, a.index,
                   hy_shape_text(&one, left), b.what, b.index, hy_shape_text(&other, right));
}

static enum hy_code check_pair(struct end a, struct end b, struct hy_error *err)
{
    const struct hy_operand *one = a.operand, *other = b.operand;

    if (one->type != other->type)
        return hy_fail(err, HY_BAD_DATA, "%s %u is %s, %s %u is %s", a.what, a.index,
                       hy_operand_type_name(one->type), b.what, b.index,
                       hy_operand_type_name(other->type));
    if (one->scale != other->scale || one->zero_point != other->zero_point)
        return hy_fail(err, HY_BAD_DATA,
                       "%s %u has scale %g and zero point %d, %s %u has %g and %d", a.what, a.index,
                       (double)one->scale, one->zero_point, b.what, b.index, (double)other->scale,
                       other->zero_point);
    if (!same_channels(one, other))
        return hy_fail(err, HY_BAD_DATA, "%s %u and %s %u have different scales per channel",
                       a.what, a.index, b.what, b.index);
    if (!same_extension_data(one, other))
        return hy_fail(err, HY_BAD_DATA, "%s %u and %s %u have different extension data", a.what,
                       a.index, b.what, b.index);
    return check_extents(a, b, err);
}

/* The arguments of a check of one operation. */
struct use {
    const struct hy_operand *operands;
    const struct hy_operation *operation;
};

static struct end outer_input(const struct use *use, uint32_t index)
{
    return (struct end){&use->operands[use->operation->inputs[index]], "input", index};
}

static struct end outer_output(const struct use *use, uint32_t index)
{
    return (struct end){&use->operands[use->operation->outputs[index]], "output", index};
}

static enum hy_code check_count(const char *name, const char *what, uint32_t count, uint32_t needed,
                                struct hy_error *err)
{
    if (count == needed)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "the %s has %u %ss, needs %u", name, count, what, needed);
}

/* Checks all inputs of a body against the inputs of the operation from `first` on. */
static enum hy_code check_inputs(const struct use *use, uint32_t first,
                                 const struct hy_subgraph *body, const char *name,
                                 const char *input_name, struct hy_error *err)
{
    const uint32_t count = use->operation->input_count - first;
    enum hy_code code = check_count(name, "input", body->input_count, count, err);

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = check_pair(outer_input(use, first + i), body_input(body, input_name, i), err);
    return code;
}

static enum hy_code check_branch(const struct use *use, const struct hy_subgraph *branch,
                                 const char *name, const char *input_name, const char *output_name,
                                 struct hy_error *err)
{
    const uint32_t count = use->operation->output_count;
    enum hy_code code =
        check_inputs(use, hy_control_flow_first_value(HY_OP_IF), branch, name, input_name, err);

    if (code == HY_OK)
        code = check_count(name, "output", branch->output_count, count, err);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = check_pair(outer_output(use, i), body_output(branch, output_name, i), err);
    return code;
}

static enum hy_code check_condition(const struct use *use, const struct hy_subgraph *condition,
                                    struct hy_error *err)
{
    enum hy_code code = check_inputs(use, hy_control_flow_first_value(HY_OP_WHILE), condition,
                                     "condition model", "input of the condition model", err);

    if (code == HY_OK)
        code = check_count("condition model", "output", condition->output_count, 1, err);
    if (code != HY_OK)
        return code;
    const struct hy_operand *condition_output = &condition->operands[condition->outputs[0]];
    if (condition_output->type != ANEURALNETWORKS_TENSOR_BOOL8 || condition_output->rank != 1 ||
        condition_output->dims[0] != 1)
        return hy_fail(err, HY_BAD_DATA,
                       "the condition model's output must be TENSOR_BOOL8 of shape [1], is %s of "
                       "rank %u and extent %u",
                       hy_operand_type_name(condition_output->type), condition_output->rank,
                       condition_output->rank ? condition_output->dims[0] : 0);
    return HY_OK;
}

/* The body's outputs are the loop's state; the first of them are the outputs of the WHILE. */
static enum hy_code check_body(const struct use *use, const struct hy_subgraph *body,
                               struct hy_error *err)
{
    const uint32_t outputs = use->operation->output_count;
    enum hy_code code = check_inputs(use, hy_control_flow_first_value(HY_OP_WHILE), body,
                                     "body model", "input of the body model", err);

    if (code == HY_OK && (body->output_count < outputs || body->output_count > body->input_count))
        code = hy_fail(err, HY_BAD_DATA, "the body model has %u outputs, needs %u to %u",
                       body->output_count, outputs, body->input_count);
    for (uint32_t i = 0; code == HY_OK && i < body->output_count; i++)
        code = check_pair(body_input(body, "input of the body model", i),
                          body_output(body, "output of the body model", i), err);
    for (uint32_t i = 0; code == HY_OK && i < outputs; i++)
        code =
            check_pair(outer_output(use, i), body_output(body, "output of the body model", i), err);
    return code;
}

enum hy_code hy_control_flow_check(const struct hy_operand *operands,
                                   const struct hy_operation *operation,
                                   const struct hy_subgraph *first,
                                   const struct hy_subgraph *second, struct hy_error *err)
{
    const struct use use = {operands, operation};
    enum hy_code code;

    if (operation->type == HY_OP_IF) {
        code = check_branch(&use, first, "then-model", "input of the then-model",
                            "output of the then-model", err);
        if (code == HY_OK)
            code = check_branch(&use, second, "else-model", "input of the else-model",
                                "output of the else-model", err);
    } else {
        code = check_condition(&use, first, err);
        if (code == HY_OK)
            code = check_body(&use, second, err);
    }
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", hy_operation_name(operation->type));
    return HY_OK;
}
