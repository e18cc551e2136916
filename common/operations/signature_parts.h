#ifndef HY_COMMON_OPERATIONS_SIGNATURE_PARTS_H
#define HY_COMMON_OPERATIONS_SIGNATURE_PARTS_H

#include "common/error.h"

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

/*
 * The parts of the checks in signature.h, for operations of ops.def with operand counts and types
 * that match their signatures. The parts are independent of each other.
 */

/* An operation with its operands, for access by position. */
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

/* Checks the known ranks. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_signature_check_ranks(const struct hy_signature_use *use,
                                                    struct hy_error *err);

/* Checks rules beyond type lists, except quantization. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_signature_check_rules(const struct hy_signature_use *use,
                                                    struct hy_error *err);

/* True if the operation needs level 3 although all its operands have a lower level. */
bool hy_signature_needs_level_3(const struct hy_signature_use *use);

/* True if two operands have the same relevant scale and zero point. */
bool hy_signature_is_same_quantisation(const struct hy_operand *a, const struct hy_operand *b);

/* "4", "1 to 4" or, for HY_OP_MANY, "2 or more". */
void hy_signature_print_limits(char *text, size_t size, uint32_t least, uint32_t most);

#endif
