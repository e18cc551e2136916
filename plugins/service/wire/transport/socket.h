#ifndef HY_SERVICE_WIRE_SOCKET_H
#define HY_SERVICE_WIRE_SOCKET_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* One end of a socket pair. Any number of threads may send while a single thread receives. */
struct hy_socket {
    int fd;
    int64_t armed; /* ns: the receive timeout set in the kernel; 0 = none */
};

/* Takes ownership of the descriptor, which must be a blocking SOCK_SEQPACKET socket (not
 * checked). */
void hy_socket_init(struct hy_socket *socket, int fd);

/* Closes the socket. A second call does nothing. */
void hy_socket_finish(struct hy_socket *socket);

/* Creates a connected pair, close-on-exec. Errors: HY_EXHAUSTED (no descriptors left). */
HY_MUST_CHECK enum hy_code hy_socket_pair(int ends[2], struct hy_error *err);

/* Returns true if a descriptor received from a peer is a SOCK_SEQPACKET Unix socket. */
bool hy_socket_is_one(int fd);

/* Returns true if a descriptor is the client end of a connection to a named socket. */
bool hy_socket_leads_to_service(int fd);

/* Waits until poll() reports any of `events`, or an error of the socket. Errors:
 * HY_MISSED_DEADLINE. */
HY_MUST_CHECK enum hy_code hy_socket_wait(const struct hy_socket *socket, short events,
                                          int64_t deadline, struct hy_error *err);

/* Sets the kernel's receive timeout, so a blocking receive ends within `left` ns; `left` must not
 * be short. Makes no system call if an earlier call has set a similar timeout. */
void hy_socket_arm(struct hy_socket *socket, int64_t left);

#endif
