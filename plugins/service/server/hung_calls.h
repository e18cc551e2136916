#ifndef HY_SERVICE_SERVER_HUNG_CALLS_H
#define HY_SERVICE_SERVER_HUNG_CALLS_H

#include "common/call_watchdog.h"
#include "plugins/service/server/serve.h"

#include <stdbool.h>

/* The exit status of a service in which a call did not come back. */
#define HY_SERVER_HUNG_STATUS 3

/* The age of a call, in patiences, at which the service ends. Ten times the patience is what a
 * client has for compiling. */
#define HY_SERVER_HUNG_PATIENCES 20

/*
 * Has calls into the driver of this service watched (common/call_watchdog.h): the log tells of
 * those that take longer than serve->patience_ns; at HY_SERVER_HUNG_PATIENCES times that the
 * process ends, so that whoever has started the service starts it anew. Until then the door is told
 * that the process is alive. False: there is no thread for it. Once in a process; `serve` lives as
 * long as the process.
 */
bool hy_server_watch_calls(const struct hy_serve *serve);

/* Begins a call of a client for the watchdog; hy_watchdog_leave ends it. Calls that wait for what
 * others do are not watched: for a device to be available, for fences of the app. `kind`: enum
 * hy_wire_kind. */
struct hy_watched_call hy_server_call_begin(uint32_t kind);

#endif
