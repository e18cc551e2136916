/* Writing under a file size limit: the kernel sends SIGXFSZ to a thread that exceeds the limit,
 * which by default ends the process. */
#include "cache_store/directory/private_dir.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static enum hy_code write_all(int fd, const char *bytes, size_t length, uint64_t at,
                              struct hy_error *err)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t put = pwrite(fd, bytes + done, length - done, (off_t)(at + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return hy_fail(err, hy_dir_code(errno), "%s", strerror(errno));
        done += (size_t)put;
    }
    return HY_OK;
}

enum hy_code hy_file_write(int fd, const void *bytes, size_t length, uint64_t at,
                           struct hy_error *err)
{
    const struct timespec at_once = {0};
    sigset_t beyond, before;
    sigemptyset(&beyond);
    sigaddset(&beyond, SIGXFSZ);
    const int error = pthread_sigmask(SIG_BLOCK, &beyond, &before);
    if (error != 0)
        return hy_fail(err, HY_FAILED, "signal mask: %s", strerror(error));

    enum hy_code code = write_all(fd, bytes, length, at, err);
    /* A signal that was blocked before belongs to the app. */
    if (code != HY_OK && !sigismember(&before, SIGXFSZ))
        sigtimedwait(&beyond, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
