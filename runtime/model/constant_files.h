#ifndef HY_RUNTIME_MODEL_CONSTANT_FILES_H
#define HY_RUNTIME_MODEL_CONSTANT_FILES_H

#include "model.h"

/*
 * Whether the constants that lie in files, of the model and of those it refers to, are still there:
 * to be asked before something reads all of them. A file that shrinks later is not noticed. Errors:
 * UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_app_model_check_files(const struct hy_app_model *model,
                                                    struct hy_error *err);

#endif
