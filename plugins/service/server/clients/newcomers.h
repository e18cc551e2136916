#ifndef HY_SERVICE_SERVER_NEWCOMERS_H
#define HY_SERVICE_SERVER_NEWCOMERS_H

#include "plugins/service/server/parts.h"

/*
 * Clients of a shared service that have connected and have not said HELLO and OPEN. They have no
 * thread, and count towards none of the limits of clients: one thread hears them all, hangs up on
 * who is silent for longer than HY_NEWCOMER_MS, and has room for few. A newcomer beyond that takes
 * the place of the one that has been silent for longest, of the same user where that user has many,
 * else of whoever has most.
 */
#define HY_NEWCOMERS         64u /* in all */
#define HY_NEWCOMERS_OF_USER 16u
#define HY_NEWCOMER_MS       5000

struct hy_newcomers {
    struct {
        struct hy_server *server;
        int64_t since;    /* CLOCK_MONOTONIC, ns */
    } list[HY_NEWCOMERS]; /* the oldest first */
    uint32_t count;
    void (*enter)(struct hy_server *server);                       /* has introduced itself */
    void (*dismiss)(struct hy_server *server, const char *reason); /* NULL: none */
};

/* Takes the client over, which has a user. */
void hy_newcomers_add(struct hy_newcomers *newcomers, struct hy_server *server);

/* Waits so long (ms, -1: for ever) for `door` to be readable or hung up, and hears newcomers
 * meanwhile. False: the time is over. */
bool hy_newcomers_wait(struct hy_newcomers *newcomers, int door, int milliseconds);

void hy_newcomers_dismiss_all(struct hy_newcomers *newcomers, const char *reason);

#endif
