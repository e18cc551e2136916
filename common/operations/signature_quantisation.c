/* Scales and zero points required by an operation. */
#include "common/operations/signature.h"
#include "common/operations/signature_parts.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/signature_table.h"

static const char *name(const struct hy_signature_use *use)
{
    return hy_operation_name(use->operation->type);
}

bool hy_signature_is_same_quantisation(const struct hy_operand *a, const struct hy_operand *b)
{
    return hy_scale_is_same(a->scale, b->scale) && a->zero_point == b->zero_point;
}

static enum hy_code check_same_pair(const struct hy_signature_use *use, uint32_t in, uint32_t out,
                                    struct hy_error *err)
{
    const struct hy_operand *from = hy_signature_input(use, in),
                            *to = hy_signature_output(use, out);

    if (!hy_operand_type_is_quantised(from->type) || hy_signature_is_same_quantisation(from, to))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s: output %u (operand %u) has scale %g and zero point %d, needs the values of "
                   "input %u (operand %u): %g and %d",
                   name(use), out, use->operation->outputs[out], (double)to->scale, to->zero_point,
                   in, use->operation->inputs[in], (double)from->scale, from->zero_point);
}

static enum hy_code check_same(const struct hy_signature_use *use, const struct hy_same_scale *rule,
                               struct hy_error *err)
{
    const struct hy_operation *operation = use->operation;
    enum hy_code code = HY_OK;

    for (uint32_t in = rule->first_input; in <= rule->last_input && in < operation->input_count;
         in++)
        for (uint32_t out = rule->first_output;
             out <= rule->last_output && out < operation->output_count && code == HY_OK; out++)
            code = check_same_pair(use, in, out, err);
    return code;
}

static enum hy_code check_fixed(const struct hy_signature_use *use,
                                const struct hy_fixed_scale *rule, struct hy_error *err)
{
    const struct hy_operand *operand = rule->is_input ? hy_signature_input(use, rule->index)
                                                      : hy_signature_output(use, rule->index);

    if (operand->type != rule->type)
        return HY_OK;
    if (hy_scale_is_same(operand->scale, rule->scale) && operand->zero_point == rule->zero_point)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s: %s %u (operand %u) has scale %g and zero point %d, needs %g and %d",
                   name(use), rule->is_input ? "input" : "output", rule->index,
                   (uint32_t)(operand - use->operands), (double)operand->scale, operand->zero_point,
                   (double)rule->scale, rule->zero_point);
}

bool hy_signature_has_fine_product(const struct hy_operand *operands,
                                   const struct hy_operation *operation)
{
    const struct hy_signature_use use = {operands, operation};

    if (operation->type != HY_OP_MUL)
        return false;
    const struct hy_operand *output = hy_signature_output(&use, 0);
    const float product = hy_signature_input(&use, 0)->scale * hy_signature_input(&use, 1)->scale;
    return hy_operand_type_is_quantised(output->type) && output->scale <= product;
}

enum hy_code hy_signature_check_quantisation(const struct hy_operand *operands,
                                             const struct hy_operation *operation,
                                             struct hy_error *err)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[hy_op_row(operation->type)];
    const struct hy_signature_use use = {operands, operation};

    enum hy_code code = rules->same_scale ? check_same(&use, rules->same_scale, err) : HY_OK;

    for (uint32_t i = 0; i < rules->fixed_scale_count && code == HY_OK; i++)
        code = check_fixed(&use, &rules->fixed_scales[i], err);
    return code;
}
