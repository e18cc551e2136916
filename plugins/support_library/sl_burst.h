#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_BURST_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_BURST_H

#include "halyard/driver.h"

/* Members of struct hy_device. A burst caches memory objects by the ids of their pools. */
int32_t hy_sl_burst_open(void *prepared, void **burst);
int32_t hy_sl_burst_execute(void *burst, const struct hy_request *request,
                            const struct hy_run_options *options, struct hy_result *result);
void hy_sl_burst_release(void *burst, uint64_t pool_id);
void hy_sl_burst_close(void *burst);

#endif
