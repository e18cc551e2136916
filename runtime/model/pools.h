#ifndef HY_RUNTIME_MODEL_POOLS_H
#define HY_RUNTIME_MODEL_POOLS_H

#include "app_model.h"

/*
 * Lists the memory of large constants and assigns pool numbers to the operands. Each buffer of the
 * app has a pool, and each memory object has a single pool for all its constants.
 *   ret        the list, free with free(); NULL without large constants
 *   ret_count  length of the list
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_app_model_list_pools(struct hy_app_model *model, struct hy_pool **ret,
                                                   uint32_t *ret_count, struct hy_error *err);

#endif
