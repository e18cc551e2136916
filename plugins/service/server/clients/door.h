#ifndef HY_SERVICE_SERVER_DOOR_H
#define HY_SERVICE_SERVER_DOOR_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Between whoever listens for clients, and may make sockets, and the confined process that serves
 * them: a connected pair of SOCK_SEQPACKET. The process sends a word when its driver is open, and
 * words that it is alive; from then on each word to it brings the socket of one client. Either end
 * hangs up to end both.
 */

/* ---- Outside --------------------------------------------------------------------------------- */

enum hy_door_word {
    HY_DOOR_OPEN,  /* the driver is open */
    HY_DOOR_ALIVE, /* the process is not stuck */
    HY_DOOR_OVER,  /* the process has ended */
};

/* Waits for the next word. */
enum hy_door_word hy_door_hear(int door);

/* Hands the client in; its socket stays the caller's. False: the process has ended. */
bool hy_door_hand_in(int door, int client);

/* ---- Inside ---------------------------------------------------------------------------------- */

/* False: nobody is outside any more. */
bool hy_door_tell_open(int door);

/* Never waits: a word for which there is no place is lost. From any thread. */
void hy_door_tell_alive(int door);

enum hy_door_event {
    HY_DOOR_CLIENT, /* `*client` is the caller's */
    HY_DOOR_QUIET,  /* nobody came for that long */
    HY_DOOR_END,    /* it has hung up */
};

/* Waits so many milliseconds (-1: for ever) for the next client. */
enum hy_door_event hy_door_take(int door, int milliseconds, int *client);

/* Who has connected: as the kernel knows it. False: it does not. */
bool hy_door_peer(int client, uid_t *user, pid_t *pid);

#endif
