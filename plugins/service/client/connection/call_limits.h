#ifndef HY_SERVICE_CLIENT_CALL_LIMITS_H
#define HY_SERVICE_CLIENT_CALL_LIMITS_H

#include "halyard/driver.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the earlier of `deadline` and `nanoseconds` from now, in ns of CLOCK_BOOTTIME. */
int64_t hy_service_until(int64_t deadline, int64_t nanoseconds);

/* Time limits of a call. */
struct hy_call_limits {
    int64_t
        deadline; /* ns of CLOCK_BOOTTIME, of the caller: MISSED_DEADLINE_TRANSIENT afterwards */
    int64_t hang_timeout_ns; /* hang timeout in ns: afterwards the process is killed, DEAD_OBJECT */
};

/* Returns the latest end of a call that begins now, in ns of CLOCK_BOOTTIME. `*is_hang_timeout` is
 * true if the end is the hang timeout. Otherwise the end is the deadline plus a short grace time
 * for the reply. */
int64_t hy_call_limits_end(const struct hy_call_limits *limits, bool *is_hang_timeout);

#endif
