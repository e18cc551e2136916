#ifndef HY_COMMON_OPERATIONS_SIGNATURE_H
#define HY_COMMON_OPERATIONS_SIGNATURE_H

#include "common/error.h"

#include <halyard/driver.h>

#include <stdbool.h>

/*
 * Checks one operation against the signatures of signatures.def: number and types of operands,
 * which of them are left out, ranks where they are known, scales and zero points where the
 * operation demands them. Shapes and values are not looked at, nor are the models of IF and WHILE.
 * Extension operations and OEM_OPERATION are only checked for operand indices.
 *
 * `*feature_level` (may be NULL) becomes the level that this use of the operation needs, 1..8.
 * HY_BAD_DATA names the operation, the position, the operand, what it is and what it should be:
 * "CONV_2D: input 1 (operand 7) is TENSOR_INT32, expected TENSOR_FLOAT32".
 */
HY_MUST_CHECK enum hy_code hy_signature_check(const struct hy_operand *operands,
                                              uint32_t operand_count,
                                              const struct hy_operation *operation,
                                              uint32_t *feature_level, struct hy_error *err);

/*
 * The part of hy_signature_check that a model is held to: all but the scales and zero points that
 * Android, too, looks at only when an operation is prepared or run. Operands that may still change
 * (a value to be set, scales per channel) are judged as they are: such a change needs another
 * check.
 */
HY_MUST_CHECK enum hy_code hy_signature_check_form(const struct hy_operand *operands,
                                                   uint32_t operand_count,
                                                   const struct hy_operation *operation,
                                                   uint32_t *feature_level, struct hy_error *err);

/* The rest of it: scales and zero points, for an operation whose form has been checked. */
HY_MUST_CHECK enum hy_code hy_signature_check_quantisation(const struct hy_operand *operands,
                                                           const struct hy_operation *operation,
                                                           struct hy_error *err);

/* The level that this use of the operation needs, 1..8, as hy_signature_check_form has found it
 * before. */
uint32_t hy_signature_level(const struct hy_operand *operands,
                            const struct hy_operation *operation);

/* Whether the operation is a MUL of 8 bits whose output scale is not above the product of the
 * inputs' scales: drivers of ABI 1.0 never meet one. The form has been checked. */
bool hy_signature_has_fine_product(const struct hy_operand *operands,
                                   const struct hy_operation *operation);

#endif
