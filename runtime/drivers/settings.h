#ifndef HY_RUNTIME_DRIVERS_SETTINGS_H
#define HY_RUNTIME_DRIVERS_SETTINGS_H

#include "runtime/drivers/device_list.h"

/*
 * A warning for each setting of the environment that does nothing: a glob of HALYARD_PLAN_DEVICES
 * or HALYARD_PLAN_WITHOUT that matches no device of the list, and a HALYARD_ variable whose name
 * nobody reads but that is close to one that is read. Once, when the devices are known.
 */
void hy_device_settings_check(const struct hy_device_list *list);

#endif
