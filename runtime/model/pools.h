#ifndef HY_RUNTIME_MODEL_POOLS_H
#define HY_RUNTIME_MODEL_POOLS_H

#include "app_model.h"

/*
 * Lists the memory that large constants lie in, one pool for each buffer of the app and one for
 * each memory object however many constants it holds, and gives the operands their pool numbers.
 *   ret        the list, for free(); NULL when there are no large constants
 *   ret_count  its length
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_app_model_list_pools(struct hy_app_model *model, struct hy_pool **ret,
                                                   uint32_t *ret_count, struct hy_error *err);

#endif
