#ifndef HY_SERVICE_SERVER_CALL_SCHEDULER_H
#define HY_SERVICE_SERVER_CALL_SCHEDULER_H

#include "common/error.h"

#include <stdint.h>

/*
 * Shares the processors of a service among its users. With several users, the number of calls in
 * the driver is limited to a small multiple of the processors, and the user with the least recent
 * time is served first. Every user is guaranteed an equal part of the limit, at least one call.
 * Unused parts are open to all users. A service with a single user, or a single client, has no
 * limit.
 */
struct hy_server;

/* The usage of a user. All members belong to call_scheduler.c and are protected by its lock. */
struct hy_server_usage {
    uint32_t running; /* calls in the driver */
    int64_t started;  /* sum of the start times of running calls */
    int64_t used_ns;  /* by finished calls; halved every second */
    int64_t halved_at;
};

/* A user's call in the driver. */
struct hy_server_call_slot {
    struct hy_server_usage *usage; /* NULL: not counted */
    int64_t start;
};

/*
 * Waits until the client may call the driver. The wait ends at the deadline or when `*cancelled` is
 * set. Returns HY_STATUS_OK, or HY_STATUS_MISSED_DEADLINE_TRANSIENT with an error text (`err` may
 * be NULL).
 */
HY_MUST_CHECK int32_t hy_server_call_slot_acquire(struct hy_server *server,
                                                  const uint32_t *cancelled, int64_t deadline,
                                                  struct hy_server_call_slot *call_slot,
                                                  struct hy_error *err);
void hy_server_call_slot_release(struct hy_server_call_slot *call_slot);

/* Wakes all waiting calls to check their `cancelled` words again. */
void hy_server_call_slots_recheck(void);

#endif
