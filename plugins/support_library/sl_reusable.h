#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_REUSABLE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_REUSABLE_H

#include "halyard/driver.h"

/* Members of struct hy_device. A reusable holds an execution of the library, and memory objects for
 * memory with file descriptors. */
int32_t hy_sl_reusable_create(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, void **reusable);
int32_t hy_sl_reusable_execute(void *reusable, int64_t deadline, struct hy_result *result);
void hy_sl_reusable_destroy(void *reusable);

#endif
