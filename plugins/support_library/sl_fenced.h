#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_FENCED_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_FENCED_H

#include "halyard/driver.h"

/* Members of struct hy_device. */
int32_t hy_sl_execute_fenced(void *prepared, const struct hy_request *request,
                             const struct hy_run_options *options, const int32_t *wait_for,
                             uint32_t wait_count, int32_t *fence, void **fenced);
int32_t hy_sl_fenced_result(void *fenced, struct hy_fenced_result *result);
void hy_sl_fenced_destroy(void *fenced);

#endif
