#include "runtime/drivers/hung_calls.h"

#include "common/call_watchdog.h"
#include "common/clock.h"
#include "runtime/device/driver_call.h"
#include "runtime/drivers/isolation.h"
#include "runtime/log.h"

#include <inttypes.h>

static void report(struct hy_watched_call call, int64_t age_ns, bool has_returned)
{
    hy_log(HY_LOG_WARNING, "device",
           has_returned ? "%s: %s returned after more than %" PRId64 " s"
                        : "%s: %s has not returned for %" PRId64 " s",
           call.device, call.function, age_ns / HY_SECOND);
}

void hy_hung_calls_watch(void)
{
    static struct hy_watchdog_rules rules = {.report = report};
    const struct hy_service_settings *settings = hy_isolation_settings();

    if (!settings || rules.hang_timeout_ns > 0)
        return;
    hy_driver_calls_init_log();
    rules.hang_timeout_ns = settings->hang_timeout_seconds * HY_SECOND;
    rules.round_ns = rules.hang_timeout_ns / 4;
    if (!hy_watchdog_start(&rules))
        hy_log(HY_LOG_INFO, "device", "no thread to watch calls of drivers");
}
