#ifndef HY_SERVICE_SERVER_NEWCOMERS_H
#define HY_SERVICE_SERVER_NEWCOMERS_H

#include "plugins/service/server/parts.h"

/*
 * Connected clients of a shared service that have not completed HELLO and OPEN. Newcomers have no
 * thread and do not count towards the limits of clients. A single thread reads from all newcomers,
 * and disconnects newcomers that stay silent for HY_NEWCOMER_MS. When the list is full, a newcomer
 * replaces the oldest newcomer of a user: of its own user at HY_NEWCOMERS_OF_USER, else of the user
 * with the most newcomers.
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
    void (*enter)(struct hy_server *server);                       /* HELLO and OPEN are complete */
    void (*dismiss)(struct hy_server *server, const char *reason); /* NULL: none */
};

/* Adds a client and takes ownership of the client. The client's user must be set. */
void hy_newcomers_add(struct hy_newcomers *newcomers, struct hy_server *server);

/* Waits up to `milliseconds` (-1: no limit) until `door` is readable or disconnected, and serves
 * newcomers during the wait. Returns false on timeout. */
bool hy_newcomers_wait(struct hy_newcomers *newcomers, int door, int milliseconds);

void hy_newcomers_dismiss_all(struct hy_newcomers *newcomers, const char *reason);

#endif
