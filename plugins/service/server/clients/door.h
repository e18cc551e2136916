#ifndef HY_SERVICE_SERVER_DOOR_H
#define HY_SERVICE_SERVER_DOOR_H

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

enum hy_door_word {
    HY_DOOR_OPEN,  /* the driver is open */
    HY_DOOR_ALIVE, /* the process is not stuck */
    HY_DOOR_OVER,  /* the process has ended */
};

/* Waits for the next message. */
enum hy_door_word hy_door_hear(int door);

/* Sends the socket of a client to the service process. The caller still owns `client`. Returns
 * false when the process has ended. */
bool hy_door_hand_in(int door, int client);

/* ---- Inside ---------------------------------------------------------------------------------- */

/* Reports that the driver is open. Returns false when the listener has disconnected. */
bool hy_door_tell_open(int door);

/* Reports liveness. Never blocks: the message is dropped when the socket buffer is full.
 * Thread-safe. */
void hy_door_tell_alive(int door);

enum hy_door_event {
    HY_DOOR_CLIENT, /* the caller owns `*client` */
    HY_DOOR_QUIET,  /* timeout */
    HY_DOOR_END,    /* the listener has disconnected */
};

/* Waits up to `milliseconds` (-1: no limit) for the next client. */
enum hy_door_event hy_door_take(int door, int milliseconds, int *client);

/* Gets the user and process of a connected client from the kernel. Returns false on failure. */
bool hy_door_peer(int client, uid_t *user, pid_t *pid);

#endif
