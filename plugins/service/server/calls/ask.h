#ifndef HY_SERVICE_SERVER_ASK_H
#define HY_SERVICE_SERVER_ASK_H

#include "common/list.h"
#include "halyard/driver.h"

#include <pthread.h>
#include <stdbool.h>

/* Cache calls of a driver that only the client's process can execute. The server sends each call
 * over the control socket and blocks until the client's reply. */
struct hy_server;
struct hy_server_ask;

/* Pending calls to a client. */
struct hy_server_asks {
    pthread_mutex_t lock;
    pthread_cond_t is_complete;
    LIST_HEAD(, hy_server_ask) list;
    uint64_t last_number;
    bool has_ended;
};

void hy_server_asks_init(struct hy_server_asks *asks);
void hy_server_asks_finish(struct hy_server_asks *asks);

/* Sets the cache members of the driver's host that call the current client (caller.h). */
void hy_server_asks_fill(struct hy_host *face);

/* Has the client reopen the file of `fd`. `*own` receives a descriptor with an open file
 * description of its own; the caller closes `*own`. Returns a status. */
int32_t hy_server_ask_reopen(struct hy_server *server, int32_t fd, int32_t *own);

/* Completes the pending call with the reply in the frame `heard`. */
void hy_server_ask_complete(struct hy_server *server);

/* Fails all pending and future calls: the client sends no more replies. */
void hy_server_asks_end(struct hy_server_asks *asks);

#endif
