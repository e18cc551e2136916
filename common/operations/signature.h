#ifndef HY_COMMON_OPERATIONS_SIGNATURE_H
#define HY_COMMON_OPERATIONS_SIGNATURE_H

#include "common/error.h"

#include <halyard/driver.h>

#include <stdbool.h>

/*
 * Checks an operation against the signatures of signatures.def: number and types of operands,
 * omitted operands, known ranks, scales and zero points required by the operation. Shapes, values
 * and the models of IF and WHILE are not checked. For extension operations and OEM_OPERATION only
 * operand indices are checked.
 *
 * `*feature_level` (may be NULL) becomes the feature level of the operation with these operands,
 * 1..8. HY_BAD_DATA names the operation, the position, the operand, the actual and the expected
 * type: "CONV_2D: input 1 (operand 7) is TENSOR_INT32, expected TENSOR_FLOAT32".
 */
HY_MUST_CHECK enum hy_code hy_signature_check(const struct hy_operand *operands,
                                              uint32_t operand_count,
                                              const struct hy_operation *operation,
                                              uint32_t *feature_level, struct hy_error *err);

/*
 * The part of hy_signature_check for a model under construction: everything except the scales and
 * zero points that Android checks only at prepare or run time. Operands are checked in their
 * current state: a later change (a value, scales per channel) needs another check.
 */
HY_MUST_CHECK enum hy_code hy_signature_check_form(const struct hy_operand *operands,
                                                   uint32_t operand_count,
                                                   const struct hy_operation *operation,
                                                   uint32_t *feature_level, struct hy_error *err);

/* The other part of hy_signature_check: scales and zero points, for an operation accepted by
 * hy_signature_check_form. */
HY_MUST_CHECK enum hy_code hy_signature_check_quantisation(const struct hy_operand *operands,
                                                           const struct hy_operation *operation,
                                                           struct hy_error *err);

/* The feature level of the operation with these operands, 1..8, as determined by
 * hy_signature_check_form. */
uint32_t hy_signature_level(const struct hy_operand *operands,
                            const struct hy_operation *operation);

/* True for an 8-bit MUL whose output scale is not above the product of the input scales. Drivers of
 * ABI 1.0 never get this operation. The form must have been checked. */
bool hy_signature_has_fine_product(const struct hy_operand *operands,
                                   const struct hy_operation *operation);

#endif
