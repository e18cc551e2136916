#include "runtime/device/driver_call.h"

#include "runtime/log.h"

bool hy_driver_calls_are_logged, hy_driver_exits_are_seen;

void hy_driver_calls_init_log(void)
{
    hy_driver_calls_are_logged = hy_log_enabled(HY_LOG_DEBUG, "driver");
}

void hy_driver_call_log(const char *device, const char *function)
{
    hy_log(HY_LOG_DEBUG, "driver", "%s: %s is called", device, function);
}

/* Runs on the exiting thread. */
__attribute__((destructor)) static void log_exit(void)
{
    const struct hy_watched_call call = hy_watchdog_current();

    if (!hy_driver_exits_are_seen && call.function && call.device && *call.device)
        hy_log(HY_LOG_ERROR, "driver", "%s: %s calls exit and ends this process", call.device,
               call.function);
}
