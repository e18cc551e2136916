#ifndef HY_RUNTIME_MODEL_EXTENSIONS_H
#define HY_RUNTIME_MODEL_EXTENSIONS_H

#include "app_model.h"

/*
 * Lists the extensions of all operand types and operations in a model and its referenced models, in
 * ascending order of prefixes, without duplicates.
 *   ret        the list, free with free(); NULL if empty
 *   ret_count  length of the list
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_app_model_list_extensions(const struct hy_app_model *model,
                                                        struct hy_extension_prefix **ret,
                                                        uint32_t *ret_count, struct hy_error *err);

#endif
