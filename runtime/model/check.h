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
 * What a model has to fulfil as a whole when it is finished; each part was checked when it was
 * added.
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
