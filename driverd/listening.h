#ifndef HY_DRIVERD_LISTENING_H
#define HY_DRIVERD_LISTENING_H

#include "common/error.h"

#include <sys/types.h>

/* The socket on which a shared service accepts clients. */
struct hy_listening {
    int fd;
    const char *path; /* of the socket file to remove on close; NULL: nothing to remove */
    dev_t device;
    ino_t inode;
};

/*
 * Uses the single socket that a service manager passed (LISTEN_FDS, see sd_listen_fds(3)).
 * Otherwise creates a socket at `path` with file mode `mode`; a user needs read and write
 * permission to connect. Replaces a socket without a listener at `path`, and leaves any other file
 * alone. `path` must outlive `ret`. Errors: BAD_DATA (the passed descriptor is no listening
 * SOCK_SEQPACKET socket, no path at all, or `path` is in use or too long), FAILED.
 */
HY_MUST_CHECK enum hy_code hy_listening_open(const char *path, mode_t mode,
                                             struct hy_listening *ret, struct hy_error *err);

/* Writes the path of the socket, or "a socket that was handed over" if the socket has no path. */
#define HY_LISTENING_ADDRESS_SIZE 128
void hy_listening_address(const struct hy_listening *listening,
                          char listen_address[HY_LISTENING_ADDRESS_SIZE]);

/* Closes the socket. Removes the socket file unless another file has replaced it. */
void hy_listening_close(struct hy_listening *listening);

#endif
