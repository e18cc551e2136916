#include "driverd/listening.h"

#include "runtime/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    FIRST_GIVEN = 3, /* first descriptor from the service manager */
    BACKLOG = 128,   /* clients waiting to be accepted */
};

/* ---- Handed over ----------------------------------------------------------------------------- */

static int option_of(int fd, int option)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/* The number of passed sockets, as text. NULL: the service manager passed none to this process. */
static const char *count_given(void)
{
    const struct hy_environment *environment = hy_environment();
    const char *pid = environment ? environment->listen_pid : NULL;

    return pid && strtol(pid, NULL, 10) == (long)getpid() ? environment->listen_fds : NULL;
}

static enum hy_code adopt_given(const char *count, struct hy_listening *ret, struct hy_error *err)
{
    if (strcmp(count, "1") != 0)
        return hy_fail(err, HY_BAD_DATA, "%.32s sockets were passed in, needs 1", count);
    if (option_of(FIRST_GIVEN, SO_DOMAIN) != AF_UNIX ||
        option_of(FIRST_GIVEN, SO_TYPE) != SOCK_SEQPACKET ||
        option_of(FIRST_GIVEN, SO_ACCEPTCONN) != 1)
        return hy_fail(
            err, HY_BAD_DATA,
            "the descriptor passed in is not a listening Unix socket of type SOCK_SEQPACKET");
    (void)fcntl(FIRST_GIVEN, F_SETFD, FD_CLOEXEC);
    *ret = (struct hy_listening){.fd = FIRST_GIVEN};
    return HY_OK;
}

/* ---- Made here ------------------------------------------------------------------------------- */

static int make_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Whether the socket file has no listener any more. */
static bool is_stale(const struct sockaddr_un *address)
{
    const int fd = make_socket();
    const bool is_refused = fd >= 0 &&
                            connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                            errno == ECONNREFUSED;

    if (fd >= 0)
        close(fd);
    return is_refused;
}

static enum hy_code clear_path(const struct sockaddr_un *address, struct hy_error *err)
{
    struct stat info;

    if (lstat(address->sun_path, &info) != 0)
        return errno == ENOENT
                   ? HY_OK
                   : hy_fail(err, HY_FAILED, "%s: %s", address->sun_path, strerror(errno));
    if (!S_ISSOCK(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "%s exists and is not a socket", address->sun_path);
    if (!is_stale(address))
        return hy_fail(err, HY_BAD_DATA, "another service listens on %s", address->sun_path);
    if (unlink(address->sun_path) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", address->sun_path, strerror(errno));
    return HY_OK;
}

/* Sets the mode by umask, so that the file never has another mode. */
static bool bind_with_mode(int fd, const struct sockaddr_un *address, mode_t mode)
{
    const mode_t before = umask(0777 & ~mode);
    const bool is_bound = bind(fd, (const struct sockaddr *)address, sizeof *address) == 0;

    umask(before);
    return is_bound;
}

static enum hy_code listen_at(const struct sockaddr_un *address, mode_t mode,
                              struct hy_listening *listening, struct hy_error *err)
{
    struct stat info;

    listening->fd = make_socket();
    if (listening->fd < 0 || !bind_with_mode(listening->fd, address, mode))
        return hy_fail(err, HY_FAILED, "socket %s: %s", address->sun_path, strerror(errno));
    if (lstat(listening->path, &info) != 0 || listen(listening->fd, BACKLOG) != 0) {
        unlink(address->sun_path);
        return hy_fail(err, HY_FAILED, "socket %s: %s", address->sun_path, strerror(errno));
    }
    listening->device = info.st_dev;
    listening->inode = info.st_ino;
    return HY_OK;
}

static enum hy_code make(const char *path, mode_t mode, struct hy_listening *ret,
                         struct hy_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct hy_listening listening = {.fd = -1, .path = path};

    if (strlen(path) >= sizeof address.sun_path)
        return hy_fail(err, HY_BAD_DATA,
                       "socket %.200s: the path is too long, at most %zu bytes are allowed", path,
                       sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    enum hy_code code = clear_path(&address, err);
    if (code == HY_OK)
        code = listen_at(&address, mode, &listening, err);
    if (code != HY_OK) {
        if (listening.fd >= 0)
            close(listening.fd);
        return code;
    }
    *ret = listening;
    return HY_OK;
}

/* ---- Either ---------------------------------------------------------------------------------- */

enum hy_code hy_listening_open(const char *path, mode_t mode, struct hy_listening *ret,
                               struct hy_error *err)
{
    const char *count = count_given();

    if (count)
        return adopt_given(count, ret, err);
    return path ? make(path, mode, ret, err)
                : hy_fail(err, HY_BAD_DATA,
                          "no socket: give --socket, driver.socket in the manifest, or pass in a "
                          "listening socket");
}

void hy_listening_address(const struct hy_listening *listening,
                          char listen_address[HY_LISTENING_ADDRESS_SIZE])
{
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;

    const bool has_path =
        getsockname(listening->fd, (struct sockaddr *)&address, &size) == 0 && address.sun_path[0];
    snprintf(listen_address, HY_LISTENING_ADDRESS_SIZE, "%.*s", (int)sizeof address.sun_path,
             has_path ? address.sun_path : "a socket passed in");
}

void hy_listening_close(struct hy_listening *listening)
{
    struct stat info;

    if (listening->path && lstat(listening->path, &info) == 0 && info.st_dev == listening->device &&
        info.st_ino == listening->inode)
        (void)unlink(listening->path);
    listening->path = NULL;
    if (listening->fd >= 0)
        close(listening->fd);
    listening->fd = -1;
}
