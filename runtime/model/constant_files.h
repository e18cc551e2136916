#ifndef HY_RUNTIME_MODEL_CONSTANT_FILES_H
#define HY_RUNTIME_MODEL_CONSTANT_FILES_H

#include "model.h"

struct hy_flat_models;

/*
 * Checks that the files with constants of the model and of its referenced models (`bodies`, without
 * duplicates) still have their length. Call before reading all constants. Linear in the number of
 * operands. A later truncation stays unnoticed. Errors: UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_files(const struct hy_app_model *model,
                                                    const struct hy_flat_models *bodies,
                                                    struct hy_error *err);

/* Checks the files of a finished model. */
HY_MUST_CHECK enum hy_code hy_app_model_check_files_again(const struct hy_app_model *model,
                                                          struct hy_error *err);

#endif
