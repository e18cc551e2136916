#include "plugins/service/wire/transport/body_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* ---- Making ---------------------------------------------------------------------------------- */

static enum hy_code write_all(int fd, const uint8_t *bytes, size_t size, struct hy_error *err)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return hy_fail(err, HY_OUT_OF_MEMORY, "a body file, %zu bytes left to write: %s", size,
                           strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return HY_OK;
}

enum hy_code hy_body_file_make(const void *bytes, size_t size, int *ret, struct hy_error *err)
{
    const int fd = memfd_create("halyard-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return hy_fail(err, errno == ENOMEM ? HY_OUT_OF_MEMORY : HY_EXHAUSTED,
                       "no file for a body of %zu bytes: %s", size, strerror(errno));

    enum hy_code code = write_all(fd, bytes, size, err);
    if (code == HY_OK && fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0)
        code =
            hy_fail(err, HY_FAILED, "cannot seal a body of %zu bytes: %s", size, strerror(errno));
    if (code != HY_OK) {
        close(fd);
        return code;
    }
    *ret = fd;
    return HY_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Only memory files have seals; reading a file of another kind could block the reader. */
static enum hy_code check(int fd, size_t size, struct hy_error *err)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    struct stat info;

    if (seals < 0)
        return hy_fail(err, HY_BAD_DATA, "the body file is not a memfd: %s", strerror(errno));
    if ((seals & SEALS) != SEALS)
        return hy_fail(err, HY_BAD_DATA, "the body file has seals %#x, needs %#x", (unsigned)seals,
                       (unsigned)SEALS);
    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_BAD_DATA, "a body file: %s", strerror(errno));
    if (!S_ISREG(info.st_mode) || info.st_size < 0 || (uint64_t)info.st_size != size)
        return hy_fail(err, HY_BAD_DATA, "the body file has %lld bytes, the header says %zu",
                       (long long)info.st_size, size);
    return HY_OK;
}

static enum hy_code read_all(int fd, uint8_t *bytes, size_t size, struct hy_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return hy_fail(err, HY_BAD_DATA, "the body file ends at byte %zu of %zu: %s", done,
                           size, got < 0 ? strerror(errno) : "no more bytes");
        done += (size_t)got;
    }
    return HY_OK;
}

enum hy_code hy_body_file_read(int fd, size_t size, uint8_t **ret, struct hy_error *err)
{
    enum hy_code code = check(fd, size, err);
    if (code != HY_OK)
        return code;

    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (!bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a body of %zu bytes", size);
    code = read_all(fd, bytes, size, err);
    if (code != HY_OK) {
        free(bytes);
        return code;
    }
    *ret = bytes;
    return HY_OK;
}
