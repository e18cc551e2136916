#include "runtime/memory/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A dma-buf is not readable as a file, but cannot shrink either. */
static bool is_file(int fd, struct stat *status)
{
    return fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode);
}

/* The kernel copies forwards page by page, which is wrong for overlapping bytes. */
static bool can_be_read(const struct hy_pool *source, const struct hy_pool *destination)
{
    struct stat from, to;

    return is_file(source->fd, &from) &&
           !(is_file(destination->fd, &to) && from.st_dev == to.st_dev && from.st_ino == to.st_ino);
}

enum hy_code hy_memory_move_bytes(const struct hy_pool *source, const struct hy_pool *destination,
                                  struct hy_error *err)
{
    uint64_t done = 0;

    if (!can_be_read(source, destination)) {
        memmove(destination->address, source->address, source->size);
        return HY_OK;
    }
    while (done < source->size) {
        const ssize_t count = pread(source->fd, (char *)destination->address + done,
                                    source->size - done, (off_t)(source->offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return hy_fail(err, HY_UNMAPPABLE,
                           "a file was truncated after %" PRIu64 " of %" PRIu64
                           " bytes were copied%s%s",
                           done, source->size, count ? ": " : "", count ? strerror(errno) : "");
        done += (uint64_t)count;
    }
    return HY_OK;
}
