#ifndef HY_RUNTIME_DRIVER_CALL_H
#define HY_RUNTIME_DRIVER_CALL_H

#include "common/call_watchdog.h"
#include "halyard/halyard.h"
#include "runtime/device/device.h"

/* A call into a driver of this process, for the watchdog (drivers/hung_calls.h). The built-in
 * devices are not watched, and a driver in a process of its own is watched by its client. */
struct hy_driver_call {
    struct hy_watched_call outer;
    bool is_watched;
};

/* `function`: of the table, static. */
static inline struct hy_driver_call hy_driver_call_begin(const struct hy_runtime_device *device,
                                                         const char *function)
{
    struct hy_driver_call call = {.is_watched = device->kind == HALYARD_DEVICE_IN_PROCESS};

    if (call.is_watched)
        call.outer = hy_watchdog_enter(device->info.name, function);
    return call;
}

static inline void hy_driver_call_end(struct hy_driver_call call)
{
    if (call.is_watched)
        hy_watchdog_leave(call.outer);
}

#endif
