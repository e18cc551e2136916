#ifndef HY_SERVICE_WIRE_SOCKET_H
#define HY_SERVICE_WIRE_SOCKET_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* One end of a socket pair. One thread may receive while any number of threads send. */
struct hy_socket {
    int fd;
    int64_t armed; /* ns: the receive timeout that the kernel has; 0 = none */
};

/* Takes the descriptor over. It must be a blocking SOCK_SEQPACKET socket, which is not checked. */
void hy_socket_init(struct hy_socket *socket, int fd);

/* Closes it. Twice is fine. */
void hy_socket_finish(struct hy_socket *socket);

/* A connected pair, close-on-exec. Errors: HY_EXHAUSTED (no descriptors left). */
HY_MUST_CHECK enum hy_code hy_socket_pair(int ends[2], struct hy_error *err);

/* Whether a descriptor that came from a peer is a socket of this kind. */
bool hy_socket_is_one(int fd);

/* Whether a descriptor is the end that a client has of a connection to a socket with a name. */
bool hy_socket_leads_to_service(int fd);

/* Waits until poll() has one of `events`, or anything is wrong with the socket. Errors:
 * HY_MISSED_DEADLINE. */
HY_MUST_CHECK enum hy_code hy_socket_wait(const struct hy_socket *socket, short events,
                                          int64_t deadline, struct hy_error *err);

/* Has the kernel end a blocking receive not later than `left` ns from now, which is not short.
 * Makes no system call where an earlier call has done it for about the same time. */
void hy_socket_arm(struct hy_socket *socket, int64_t left);

#endif
