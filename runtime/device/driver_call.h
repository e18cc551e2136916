#ifndef HY_RUNTIME_DRIVER_CALL_H
#define HY_RUNTIME_DRIVER_CALL_H

#include "common/call_watchdog.h"
#include "halyard/halyard.h"
#include "runtime/device/device.h"

/* A call into a driver of this process, for the watchdog (drivers/hung_calls.h). A driver that
 * exits in the call is an error in the log; HALYARD_LOG=debug:driver writes a line before each
 * call, which is the last one where the driver crashes. The built-in devices are not watched, and a
 * driver in a process of its own is watched by its client. */
struct hy_driver_call {
    struct hy_watched_call outer;
    bool is_watched;
};

/* Whether debug lines are written is looked up once, before the first call. */
extern bool hy_driver_calls_are_told;
void hy_driver_calls_tell(void);
void hy_driver_call_tell(const char *device, const char *function);

/* True in a process whose end another one sees, and tells. */
extern bool hy_driver_exits_are_seen;

/* `function`: of the table, static. */
static inline struct hy_driver_call hy_driver_call_begin(const struct hy_runtime_device *device,
                                                         const char *function)
{
    struct hy_driver_call call = {.is_watched = device->kind == HALYARD_DEVICE_IN_PROCESS};

    if (!call.is_watched)
        return call;
    if (hy_driver_calls_are_told)
        hy_driver_call_tell(device->info.name, function);
    call.outer = hy_watchdog_enter(device->info.name, function);
    return call;
}

static inline void hy_driver_call_end(struct hy_driver_call call)
{
    if (call.is_watched)
        hy_watchdog_leave(call.outer);
}

#endif
