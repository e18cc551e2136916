#ifndef HY_SERVICE_SERVER_PENDING_CLIENTS_H
#define HY_SERVICE_SERVER_PENDING_CLIENTS_H

#include "plugins/service/server/parts.h"

/*
 * Connected clients of a shared service that have not completed HELLO and OPEN. Newcomers have no
 * thread and do not count towards the limits of clients. A single thread reads from all newcomers,
 * and disconnects newcomers that stay silent for HY_PENDING_CLIENT_MS. When the list is full, a
 * newcomer replaces the oldest newcomer of a user: of its own user at HY_PENDING_CLIENTS_PER_USER,
 * else of the user with the most newcomers.
 */
#define HY_PENDING_CLIENTS          64u /* in all */
#define HY_PENDING_CLIENTS_PER_USER 16u
#define HY_PENDING_CLIENT_MS        5000

struct hy_pending_clients {
    struct {
        struct hy_server *server;
        int64_t since;          /* CLOCK_MONOTONIC, ns */
    } list[HY_PENDING_CLIENTS]; /* the oldest first */
    uint32_t count;
    void (*enter)(struct hy_server *server);                       /* HELLO and OPEN are complete */
    void (*dismiss)(struct hy_server *server, const char *reason); /* NULL: none */
};

/* Adds a client and takes ownership of the client. The client's user must be set. */
void hy_pending_clients_add(struct hy_pending_clients *pending_clients, struct hy_server *server);

/* Waits up to `milliseconds` (-1: no limit) until `accept_channel` is readable or disconnected, and
 * serves new connections during the wait. Returns false on timeout. */
bool hy_pending_clients_wait(struct hy_pending_clients *pending_clients, int accept_channel,
                             int milliseconds);

void hy_pending_clients_dismiss_all(struct hy_pending_clients *pending_clients, const char *reason);

#endif
