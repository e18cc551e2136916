#ifndef HY_TESTS_UNIT_COMMON_SIGNATURE_USE_H
#define HY_TESTS_UNIT_COMMON_SIGNATURE_USE_H

#include "common/operations/operand_type.h"
#include "common/operations/signature_table.h"

#include <halyard/driver.h>

#define SIGNATURE_USE_MOST 80

/* An operation with operands numbered in order: inputs, then outputs. */
struct signature_use {
    struct hy_operand operands[SIGNATURE_USE_MOST];
    uint32_t indices[SIGNATURE_USE_MOST];
    struct hy_operation operation;
};

static inline void signature_use_set_rank(struct signature_use *use, uint32_t index, uint32_t rank)
{
    static const uint32_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

    if (hy_operand_type_info(use->operands[index].type)->is_scalar)
        return;
    use->operands[index].rank = rank;
    use->operands[index].dims = ones;
}

static inline void signature_use_fix_scale(struct signature_use *use,
                                           const struct hy_fixed_scale *rule)
{
    const struct hy_operation *operation = &use->operation;
    struct hy_operand *operand =
        &use->operands[rule->index + (rule->is_input ? 0 : operation->input_count)];

    if (operand->type != rule->type)
        return;
    operand->scale = rule->scale;
    operand->zero_point = rule->zero_point;
}

/* Completes an operation with operand types set by the caller. Sets the ranks and scales required
 * by the rules of the operation. */
static inline void signature_use_complete(struct signature_use *use, int32_t operation,
                                          uint32_t inputs, uint32_t outputs)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[operation];

    use->operation = (struct hy_operation){.type = operation,
                                           .input_count = inputs,
                                           .output_count = outputs,
                                           .inputs = use->indices,
                                           .outputs = use->indices + inputs};
    for (uint32_t i = 0; i < inputs + outputs; i++) {
        use->indices[i] = i;
        signature_use_set_rank(use, i, 4);
        if (hy_operand_type_is_quantised(use->operands[i].type))
            use->operands[i].scale = 0.5f;
    }
    if (operation == HY_OP_IF)
        signature_use_set_rank(use, 0, 1);
    for (uint32_t i = 0; i < rules->rank_count; i++)
        for (uint32_t j = rules->ranks[i].first; j <= rules->ranks[i].last && j < inputs; j++)
            signature_use_set_rank(use, j, rules->ranks[i].most);
    if (rules->same_rank)
        signature_use_set_rank(
            use, inputs, use->operands[rules->same_rank->first].rank + rules->same_rank->more);
    for (uint32_t i = 0; i < rules->fixed_scale_count; i++)
        signature_use_fix_scale(use, &rules->fixed_scales[i]);
}

#endif
