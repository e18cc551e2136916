#ifndef HY_SERVICE_SERVER_HUNG_CALLS_H
#define HY_SERVICE_SERVER_HUNG_CALLS_H

#include "common/call_watchdog.h"
#include "plugins/service/server/serve.h"

#include <stdbool.h>

/* Exit status of a service after a driver call hung. */
#define HY_SERVER_HUNG_STATUS 3

/* The age of a call at which the service ends, in multiples of the hang timeout. A client waits ten
 * times the hang timeout for compilation. */
#define HY_SERVER_HUNG_TIMEOUTS 20

/*
 * Starts the watchdog for calls into the driver (common/call_watchdog.h). Calls longer than
 * serve->hang_timeout_ns are logged. At HY_SERVER_HUNG_TIMEOUTS times serve->hang_timeout_ns the
 * process ends, so its parent can restart the service. In the meantime the listener is notified
 * that the process is alive. Call once per process; `serve` must stay valid for the life of the
 * process. Returns false when no thread can be started.
 */
bool hy_server_watch_calls(const struct hy_serve *serve);

/* Begins watching a client's call; hy_watchdog_leave ends the watch. `kind` is an enum
 * hy_wire_kind. Calls that wait for external events are not watched: WAIT for an available device,
 * and FENCED_RESULT for fences of the app. */
struct hy_watched_call hy_server_call_begin(uint32_t kind);

#endif
