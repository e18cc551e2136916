#ifndef HY_SERVICE_SERVER_TURNS_H
#define HY_SERVICE_SERVER_TURNS_H

#include "common/error.h"

#include <stdint.h>

/*
 * How users share the processors of a service: where there are several, no more calls are in the
 * driver than a small multiple of the processors, and who has used the least time comes first.
 * Every user has an equal part of them for certain, one call at least, whatever the others do; what
 * nobody else wants is anybody's. A service with one user, or one client, has no such limit.
 */
struct hy_server;

/* Of one user: members of the file's, under its lock. */
struct hy_server_usage {
    uint32_t running; /* calls in the driver */
    int64_t started;  /* the sum of their starts */
    int64_t used_ns;  /* by calls that are over; halved every second */
    int64_t halved_at;
};

/* A call of the user's in the driver. */
struct hy_server_turn {
    struct hy_server_usage *usage; /* NULL: it is not counted */
    int64_t start;
};

/*
 * Waits until the client may call the driver: by the deadline at most, and while `*cancelled` is 0.
 * Gives HY_STATUS_OK, or HY_STATUS_MISSED_DEADLINE_TRANSIENT with words (`err` may be NULL).
 */
HY_MUST_CHECK int32_t hy_server_turn_begin(struct hy_server *server, const uint32_t *cancelled,
                                           int64_t deadline, struct hy_server_turn *turn,
                                           struct hy_error *err);
void hy_server_turn_end(struct hy_server_turn *turn);

/* A word has been set: those who wait look at theirs. */
void hy_server_turns_look(void);

#endif
