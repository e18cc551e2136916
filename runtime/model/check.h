#ifndef HY_RUNTIME_MODEL_CHECK_H
#define HY_RUNTIME_MODEL_CHECK_H

#include "app_model.h"

/*
 * Whether an operation and its operands, as they are now, go together; those of IF and WHILE with
 * the models that they refer to, too.
 *   feature_level  may be NULL; written: the lowest level, 1..8, that has this use of it
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_operation(const struct hy_app_model *model,
                                                        const struct hy_operation *operation,
                                                        uint32_t *feature_level,
                                                        struct hy_error *err);

/*
 * What a model has to fulfil as a whole when it is finished. Checks run once, as early as Android
 * makes them:
 *   operand    type, rank, extents, scale when it is added; the scale of a TENSOR_INT32 here
 *   value      size and place when it is set; the length of a file in memory here, too
 *   operation  hy_app_model_check_operation when it is added; here again only if a value or scales
 *              per channel of one of its operands were set after that
 *   scales that operations demand of their operands (hy_signature_check_quantisation): when the
 *              model is compiled
 * Drivers and services take models from elsewhere and check them on their own.
 *   feature_level  written: the lowest level, 1..8, that has all of the model
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_parts(const struct hy_app_model *model,
                                                    uint32_t *feature_level, struct hy_error *err);

/*
 * Finds out which operation writes each operand.
 *   producers  room for one number for each operand; written: see sort.h
 * Errors: BAD_DATA (written twice, never, or although it has a value of its own).
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_producers(const struct hy_app_model *model,
                                                        uint32_t *producers, struct hy_error *err);

#endif
