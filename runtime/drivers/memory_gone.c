#include "runtime/drivers/memory_gone.h"

#include "runtime/memory/watch.h"

#include <stdbool.h>

static bool wants_to_know(const struct hy_runtime_device *device)
{
    return device->table && device->table->memory_gone;
}

static void notify_gone(void *context, uint64_t id)
{
    const struct hy_device_list *list = context;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct hy_runtime_device *device = &list->devices[i];
        if (wants_to_know(device))
            device->table->memory_gone(device->self, id);
    }
}

void hy_devices_watch_memory(const struct hy_device_list *list)
{
    static struct hy_memory_watch watch;
    bool is_needed = false;

    for (uint32_t i = 0; i < list->count; i++)
        is_needed |= wants_to_know(&list->devices[i]);
    if (is_needed)
        hy_memory_watch_start(&watch, notify_gone, (void *)list);
}
