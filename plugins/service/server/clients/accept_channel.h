#ifndef HY_SERVICE_SERVER_ACCEPT_CHANNEL_H
#define HY_SERVICE_SERVER_ACCEPT_CHANNEL_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * A connected pair of SOCK_SEQPACKET sockets between the listener, which accepts clients, and the
 * sandboxed service process, which cannot create sockets. The service process sends a message when
 * its driver is open, and messages that report its liveness. After the open message, each message
 * to the service process carries the socket of a client. Closing either end ends both.
 */

/* ---- Outside --------------------------------------------------------------------------------- */

enum hy_accept_channel_message {
    HY_ACCEPT_CHANNEL_OPEN,   /* the driver is open */
    HY_ACCEPT_CHANNEL_ALIVE,  /* the process is not stuck */
    HY_ACCEPT_CHANNEL_CLOSED, /* the process has ended */
};

/* Waits for the next message. */
enum hy_accept_channel_message hy_accept_channel_receive(int accept_channel);

/* Sends the socket of a client to the service process. The caller still owns `client`. Returns
 * false when the process has ended. */
bool hy_accept_channel_send_client(int accept_channel, int client);

/* ---- Inside ---------------------------------------------------------------------------------- */

/* Reports that the driver is open. Returns false when the listener has disconnected. */
bool hy_accept_channel_send_open(int accept_channel);

/* Reports liveness. Never blocks: the message is dropped when the socket buffer is full.
 * Thread-safe. */
void hy_accept_channel_send_alive(int accept_channel);

enum hy_accept_channel_event {
    HY_ACCEPT_CHANNEL_CLIENT,  /* the caller owns `*client` */
    HY_ACCEPT_CHANNEL_IDLE,    /* timeout */
    HY_ACCEPT_CHANNEL_HUNG_UP, /* the listener has disconnected */
};

/* Waits up to `milliseconds` (-1: no limit) for the next client. */
enum hy_accept_channel_event hy_accept_channel_accept(int accept_channel, int milliseconds,
                                                      int *client);

/* Gets the user and process of a connected client from the kernel. Returns false on failure. */
bool hy_accept_channel_peer(int client, uid_t *user, pid_t *pid);

#endif
