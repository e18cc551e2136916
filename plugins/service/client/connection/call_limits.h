#ifndef HY_SERVICE_CLIENT_CALL_LIMITS_H
#define HY_SERVICE_CLIENT_CALL_LIMITS_H

#include "halyard/driver.h"

#include <stdbool.h>
#include <stdint.h>

/* The earlier of a deadline and so many nanoseconds from now. */
int64_t hy_service_until(int64_t deadline, int64_t nanoseconds);

/* How long a call may take. */
struct hy_call_limits {
    int64_t deadline;    /* of the caller: MISSED_DEADLINE_TRANSIENT after it */
    int64_t patience_ns; /* the process is killed after it, DEAD_OBJECT */
};

/* When a call that begins now is over at the latest. `*is_patience`: by being killed. */
int64_t hy_call_limits_end(const struct hy_call_limits *limits, bool *is_patience);

#endif
