#ifndef HY_DRIVERD_LISTENING_H
#define HY_DRIVERD_LISTENING_H

#include "common/error.h"

#include <sys/types.h>

/* The socket on which clients find a shared service. */
struct hy_listening {
    int fd;
    const char *path; /* of the file that is ours to remove; NULL: none is */
    dev_t device;
    ino_t inode;
};

/*
 * The one socket that was handed over (LISTEN_FDS, as sd_listen_fds(3) says); else makes one at
 * `path`, which may be read and written as `mode` says: who may do both may connect. What a service
 * that has died has left there is replaced; anything else is not touched. `path` outlives it.
 * Errors: BAD_DATA (what was handed over is no such socket, a path that is taken or too long),
 * FAILED.
 */
HY_MUST_CHECK enum hy_code hy_listening_open(const char *path, mode_t mode,
                                             struct hy_listening *ret, struct hy_error *err);

/* Where clients find it: the path, or "a socket that was handed over" if that has none. */
#define HY_LISTENING_PLACE_SIZE 128
void hy_listening_place(const struct hy_listening *listening, char place[HY_LISTENING_PLACE_SIZE]);

/* Closes the socket, and removes its file if that is still ours. */
void hy_listening_close(struct hy_listening *listening);

#endif
