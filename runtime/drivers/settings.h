#ifndef HY_RUNTIME_DRIVERS_SETTINGS_H
#define HY_RUNTIME_DRIVERS_SETTINGS_H

#include "runtime/drivers/device_list.h"

/*
 * Logs a warning for each setting of the environment without effect: a glob of HALYARD_PLAN_DEVICES
 * or HALYARD_PLAN_WITHOUT that matches no device, and an unknown HALYARD_ variable with a name
 * close to a known name. Call once, when the devices are known.
 */
void hy_device_settings_check(const struct hy_device_list *list);

#endif
