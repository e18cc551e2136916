#ifndef HY_RUNTIME_DRIVER_CALL_H
#define HY_RUNTIME_DRIVER_CALL_H

#include "common/call_watchdog.h"
#include "halyard/halyard.h"
#include "runtime/device/runtime_device.h"

/* Brackets a call into a driver of this process, for the watchdog (drivers/hung_calls.h). If a
 * driver exits inside the call, the log gets an error. HALYARD_LOG=debug:driver logs each call
 * before the call, so the last line names the call of a crash. Built-in devices are not watched,
 * and the client watches a driver in a service process. */
struct hy_driver_call {
    struct hy_watched_call outer;
    bool is_watched;
};

/* True: calls are logged. The value is set once, before the first call. */
extern bool hy_driver_calls_are_logged;
void hy_driver_calls_init_log(void);
void hy_driver_call_log(const char *device, const char *function);

/* True in a child process whose parent observes and reports the exit. */
extern bool hy_driver_exits_are_seen;

/* `function`: static name of a function of the table. */
static inline struct hy_driver_call hy_driver_call_begin(const struct hy_runtime_device *device,
                                                         const char *function)
{
    struct hy_driver_call call = {.is_watched = device->kind == HALYARD_DEVICE_IN_PROCESS};

    if (!call.is_watched)
        return call;
    if (hy_driver_calls_are_logged)
        hy_driver_call_log(device->info.name, function);
    call.outer = hy_watchdog_enter(device->info.name, function);
    return call;
}

static inline void hy_driver_call_end(struct hy_driver_call call)
{
    if (call.is_watched)
        hy_watchdog_leave(call.outer);
}

#endif
