#ifndef HY_RUNTIME_MEMORY_GONE_H
#define HY_RUNTIME_MEMORY_GONE_H

#include "runtime/drivers/device_list.h"

/* From now on those devices of the list that ask for it (hy_device.memory_gone) are told when a
 * memory object dies. Once; the list lives as long as the process. */
void hy_devices_watch_memory(const struct hy_device_list *list);

#endif
