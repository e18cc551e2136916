#ifndef HY_COMMON_OPERATIONS_SIGNATURE_PARTS_H
#define HY_COMMON_OPERATIONS_SIGNATURE_PARTS_H

#include "common/error.h"

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

/*
 * The parts of the checks of signature.h. All are for operations of ops.def, in counts and types
 * that their signatures have; each part may be asked before or after the others.
 */

/* An operation with its operands, to find one by its place. */
struct hy_signature_use {
    const struct hy_operand *operands;
    const struct hy_operation *operation;
};

static inline const struct hy_operand *hy_signature_input(const struct hy_signature_use *use,
                                                          uint32_t position)
{
    return &use->operands[use->operation->inputs[position]];
}

static inline const struct hy_operand *hy_signature_output(const struct hy_signature_use *use,
                                                           uint32_t position)
{
    return &use->operands[use->operation->outputs[position]];
}

/* Ranks, where they are known. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_signature_check_ranks(const struct hy_signature_use *use,
                                                    struct hy_error *err);

/* What fits no type list, but for quantisation. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_signature_check_rules(const struct hy_signature_use *use,
                                                    struct hy_error *err);

/* Whether the operation could do this, with operands of a lower level, only from level 3 on. */
bool hy_signature_needs_level_3(const struct hy_signature_use *use);

/* Whether two operands have the same scale and zero point, as far as that matters. */
bool hy_signature_is_same_quantisation(const struct hy_operand *a, const struct hy_operand *b);

/* "4", "1 to 4" or, for HY_OP_MANY, "2 or more". */
void hy_signature_print_limits(char *text, size_t size, uint32_t least, uint32_t most);

#endif
