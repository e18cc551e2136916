#ifndef HY_RUNTIME_MODEL_CHECK_H
#define HY_RUNTIME_MODEL_CHECK_H

#include "app_model.h"

/*
 * Checks an operation against its current operands; for IF and WHILE also against the referenced
 * models.
 *   feature_level  may be NULL; out: the lowest level, 1..8, that supports the operation
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_operation(const struct hy_app_model *model,
                                                        const struct hy_operation *operation,
                                                        uint32_t *feature_level,
                                                        struct hy_error *err);

/*
 * Checks a whole model when it is finished. Each check runs once, as early as in Android:
 *   operand    type, rank, extents, scale when added; the scale of a TENSOR_INT32 here
 *   value      size and location when set; the file length of a memory again here
 *   operation  hy_app_model_check_operation when added; again here only after a later change of a
 *              value or of scales per channel
 *   scales required by operations (hy_signature_check_quantisation): at compilation
 * Drivers and services check models from other sources themselves.
 *   feature_level  out: the lowest level, 1..8, that supports the whole model
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_parts(const struct hy_app_model *model,
                                                    uint32_t *feature_level, struct hy_error *err);

/*
 * Finds the operation that writes each operand.
 *   producers  array with one element per operand; out: see sort.h
 * Errors: BAD_DATA (an operand is written twice, never, or in spite of its own value).
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_producers(const struct hy_app_model *model,
                                                        uint32_t *producers, struct hy_error *err);

#endif
