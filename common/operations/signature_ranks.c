/* Ranks required by an operation: of each input, and of inputs and output together. */
#include "common/operations/signature_parts.h"

#include "common/operations/operation.h"
#include "common/operations/signature_table.h"

#define NONE UINT32_MAX

/* ---- Of each input --------------------------------------------------------------------------- */

static enum hy_code fail_rank(const struct hy_signature_use *use, uint32_t input,
                              const struct hy_rank_rule *rule, struct hy_error *err)
{
    char needs[32];

    hy_signature_print_limits(needs, sizeof needs, rule->least, rule->most);
    return hy_fail(err, HY_BAD_DATA, "%s: input %u (operand %u) has rank %u, needs %s",
                   hy_operation_name(use->operation->type), input, use->operation->inputs[input],
                   hy_signature_input(use, input)->rank, needs);
}

static enum hy_code check_rank(const struct hy_signature_use *use, const struct hy_rank_rule *rule,
                               struct hy_error *err)
{
    for (uint32_t i = rule->first; i <= rule->last && i < use->operation->input_count; i++) {
        const struct hy_operand *operand = hy_signature_input(use, i);

        if (operand->rank == 0 || operand->lifetime == HY_LIFETIME_NO_VALUE)
            continue; /* a scalar, unknown, or omitted */
        if (operand->rank < rule->least || operand->rank > rule->most)
            return fail_rank(use, i, rule, err);
    }
    return HY_OK;
}

/* ---- Of inputs and output together ----------------------------------------------------------- */

/* All inputs with a known rank must have the same rank. *ret_first is the first of them, or
 * NONE. */
static enum hy_code check_inputs(const struct hy_signature_use *use,
                                 const struct hy_same_rank *rule, uint32_t *ret_first,
                                 struct hy_error *err)
{
    uint32_t first = NONE;

    for (uint32_t i = rule->first; i <= rule->last && i < use->operation->input_count; i++) {
        const uint32_t rank = hy_signature_input(use, i)->rank;

        if (first == NONE && rank > 0)
            first = i;
        else if (rank > 0 && rank != hy_signature_input(use, first)->rank)
            return hy_fail(err, HY_BAD_DATA,
                           "%s: input %u (operand %u) has rank %u, needs the rank of input %u "
                           "(operand %u): %u",
                           hy_operation_name(use->operation->type), i, use->operation->inputs[i],
                           rank, first, use->operation->inputs[first],
                           hy_signature_input(use, first)->rank);
    }
    *ret_first = first;
    return HY_OK;
}

static enum hy_code check_together(const struct hy_signature_use *use,
                                   const struct hy_same_rank *rule, struct hy_error *err)
{
    const struct hy_operand *output = hy_signature_output(use, 0);
    uint32_t first;

    enum hy_code code = check_inputs(use, rule, &first, err);
    if (code != HY_OK || first == NONE || output->rank == 0)
        return code;
    const uint32_t rank = hy_signature_input(use, first)->rank;
    if (output->rank == rank + rule->more)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s: output 0 (operand %u) has rank %u, needs %u: input %u (operand %u) has "
                   "rank %u",
                   hy_operation_name(use->operation->type), use->operation->outputs[0],
                   output->rank, rank + rule->more, first, use->operation->inputs[first], rank);
}

enum hy_code hy_signature_check_ranks(const struct hy_signature_use *use, struct hy_error *err)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[hy_op_row(use->operation->type)];
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < rules->rank_count && code == HY_OK; i++)
        code = check_rank(use, &rules->ranks[i], err);
    if (code == HY_OK && rules->same_rank)
        code = check_together(use, rules->same_rank, err);
    return code;
}
