/* The execute function of a driver (hy_device.execute), called by other helpers of driver_kit. */
#ifndef HY_DRIVER_KIT_EXECUTE_FN_H
#define HY_DRIVER_KIT_EXECUTE_FN_H

#include <halyard/driver.h>

typedef int32_t hy_execute_fn(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, struct hy_result *result);

#endif
