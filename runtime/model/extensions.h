#ifndef HY_RUNTIME_MODEL_EXTENSIONS_H
#define HY_RUNTIME_MODEL_EXTENSIONS_H

#include "app_model.h"

/*
 * Lists the extensions whose operand types or operations a model uses, itself or in the models that
 * it refers to; ascending by prefix, each once.
 *   ret        the list, for free(); NULL when there are none
 *   ret_count  its length
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_app_model_list_extensions(const struct hy_app_model *model,
                                                        struct hy_extension_prefix **ret,
                                                        uint32_t *ret_count, struct hy_error *err);

#endif
