#include "runtime/memory/seals.h"

#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#define SIZE     (F_SEAL_SHRINK | F_SEAL_GROW)
#define CONTENTS (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

/* ---- Sealing --------------------------------------------------------------------------------- */

/* F_SEAL_FUTURE_WRITE needs Linux 5.1. */
static void log_once(void)
{
    static atomic_bool is_reported;

    if (!atomic_exchange_explicit(&is_reported, true, memory_order_relaxed))
        hy_log(HY_LOG_INFO, "memory",
               "the kernel has no F_SEAL_FUTURE_WRITE: isolated drivers can write to the constants "
               "and inputs");
}

enum hy_code hy_seals_add(int fd, unsigned seals, struct hy_error *err)
{
    if (seals & HY_SEALS_CONTENTS && fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0) {
        if (errno != EINVAL)
            return hy_fail(err, HY_FAILED, "shared memory cannot be sealed: %s", strerror(errno));
        log_once();
    }
    if (fcntl(fd, F_ADD_SEALS, SIZE | F_SEAL_SEAL) != 0)
        return hy_fail(err, HY_FAILED, "shared memory cannot be sealed: %s", strerror(errno));
    return HY_OK;
}

/* ---- Reading seals --------------------------------------------------------------------------- */

/* True for a memfd or an unlinked tmpfs file: no path leads to the file. */
static bool is_nameless(const struct stat *status, int seals)
{
    return seals >= 0 && status->st_nlink == 0;
}

unsigned hy_seals_of(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS), flags = fcntl(fd, F_GETFL);
    struct stat status;

    if (flags < 0 || fstat(fd, &status) != 0)
        return 0;
    if ((flags & O_ACCMODE) == O_RDONLY && !is_nameless(&status, seals))
        return HY_SEALS_SIZE | HY_SEALS_CONTENTS;
    if (!S_ISREG(status.st_mode))
        return HY_SEALS_SIZE; /* a dma-buf or a device */
    if (seals < 0 || !(seals & F_SEAL_SHRINK))
        return 0;
    return HY_SEALS_SIZE | (seals & CONTENTS ? HY_SEALS_CONTENTS : 0);
}
