#ifndef HY_RUNTIME_MODEL_CONSTANT_FILES_H
#define HY_RUNTIME_MODEL_CONSTANT_FILES_H

#include "model.h"

struct hy_flat_models;

/*
 * Whether the constants that lie in files, of the model and of the models it refers to (`bodies`,
 * each once), are still there: to be asked before something reads all of them. Linear in the
 * operands of all. A file that shrinks later is not noticed. Errors: UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_files(const struct hy_app_model *model,
                                                    const struct hy_flat_models *bodies,
                                                    struct hy_error *err);

/* The same for a finished model. */
HY_MUST_CHECK enum hy_code hy_app_model_check_files_again(const struct hy_app_model *model,
                                                          struct hy_error *err);

#endif
