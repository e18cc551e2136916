#include "plugins/service/process/connect.h"

#include "common/clock.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAMES_SIZE = 4096 /* bytes of an entry of the user database */ };

/* ---- Whom to trust --------------------------------------------------------------------------- */

static bool is_number(const char *text, uid_t *number)
{
    char *end = NULL;

    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    *number = (uid_t)value;
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && value == *number;
}

static bool is_user(const char *user, uid_t id)
{
    char names[NAMES_SIZE];
    struct passwd entry, *found = NULL;
    uid_t number;

    if (is_number(user, &number))
        return number == id;
    return *user && getpwnam_r(user, &entry, names, sizeof names, &found) == 0 && found &&
           found->pw_uid == id;
}

static enum hy_code check_owner(int fd, const char *path, const char *user, struct hy_error *err)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return hy_fail(err, HY_FAILED, "service at %s: %s", path, strerror(errno));
    if (peer.uid == 0 || peer.uid == geteuid() || is_user(user, peer.uid))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "service at %s runs as user %u, needs root, this user%s%.32s",
                   path, (unsigned)peer.uid, *user ? " or " : "", user);
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static void limit_wait(int fd, int64_t left)
{
    const bool is_limited = left != INT64_MAX;
    const struct timeval time = {.tv_sec = is_limited ? left / 1000000000 : 0,
                                 .tv_usec = is_limited ? left % 1000000000 / 1000 + 1 : 0};

    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

/* Returns 0 when connected, otherwise the errno. */
static int attempt(int fd, const struct sockaddr_un *address, int64_t deadline)
{
    for (;;) {
        const int64_t left = hy_clock_left(deadline);
        if (left <= 0)
            return ETIMEDOUT;
        limit_wait(fd, left);
        if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
            return 0;
        if (errno != EINTR && errno != EAGAIN)
            return errno;
    }
}

enum hy_code hy_connect_to_service(int fd, const char *path, const char *user, int64_t deadline,
                                   struct hy_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof address.sun_path)
        return hy_fail(err, HY_FAILED,
                       "service at %.200s: the path is too long, at most %zu bytes are allowed",
                       path, sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    const int error = attempt(fd, &address, deadline);
    limit_wait(fd, INT64_MAX);
    if (error)
        return hy_fail(err, error == ETIMEDOUT ? HY_FAILED : HY_UNAVAILABLE, "service at %s: %s",
                       path, strerror(error));
    return check_owner(fd, path, user, err);
}
