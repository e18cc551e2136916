#ifndef HY_RUNTIME_MEMORY_GONE_H
#define HY_RUNTIME_MEMORY_GONE_H

#include "runtime/drivers/device_list.h"

/* Notifies the devices with hy_device.memory_gone when a memory object is destroyed. Call once; the
 * list lives as long as the process. */
void hy_devices_watch_memory(const struct hy_device_list *list);

#endif
