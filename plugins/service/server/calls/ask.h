#ifndef HY_SERVICE_SERVER_ASK_H
#define HY_SERVICE_SERVER_ASK_H

#include "common/list.h"
#include "halyard/driver.h"

#include <pthread.h>
#include <stdbool.h>

/* What a driver wants of files of its client's cache: calls over the control socket that only the
 * client can do. */
struct hy_server;
struct hy_server_ask;

/* Those that wait for an answer of one client. */
struct hy_server_asks {
    pthread_mutex_t lock;
    pthread_cond_t is_answered;
    LIST_HEAD(, hy_server_ask) list;
    uint64_t last_number;
    bool has_ended;
};

void hy_server_asks_init(struct hy_server_asks *asks);
void hy_server_asks_finish(struct hy_server_asks *asks);

/* The members of the driver's host that ask the client for whom they are called. */
void hy_server_asks_fill(struct hy_host *face);

/* The file of the descriptor, with a description of its own, which becomes the caller's. */
int32_t hy_server_ask_reopen(struct hy_server *server, int32_t fd, int32_t *own);

/* An answer has come: the frame `heard`. */
void hy_server_ask_answer(struct hy_server *server);

/* There will be no more answers. */
void hy_server_asks_end(struct hy_server_asks *asks);

#endif
