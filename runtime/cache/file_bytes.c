#include "runtime/cache/file_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIGNMENT    64u
#define MOST_AT_ONCE (UINT64_C(1) << 30)

/* ---- Reading --------------------------------------------------------------------------------- */

static enum hy_code read_all(int32_t fd, uint8_t *to, uint64_t length, struct hy_error *err)
{
    for (uint64_t done = 0; done < length;) {
        const uint64_t left = length - done;
        const ssize_t got =
            pread(fd, to + done, left < MOST_AT_ONCE ? left : MOST_AT_ONCE, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hy_fail(err, HY_FAILED, "a cache file cannot be read: %s", strerror(errno));
        if (got == 0)
            return hy_fail(err, HY_BAD_DATA, "a cache file ends after %llu of %llu bytes",
                           (unsigned long long)done, (unsigned long long)length);
        done += (uint64_t)got;
    }
    return HY_OK;
}

enum hy_code hy_private_copy(int32_t fd, uint64_t capacity, struct hy_bytes *ret,
                             struct hy_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "a cache file: %s", strerror(errno));
    const uint64_t length = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    if (!S_ISREG(info.st_mode) || length > capacity)
        return hy_fail(err, HY_BAD_DATA, "a cache file of %llu bytes, at most %llu are read",
                       (unsigned long long)length, (unsigned long long)capacity);

    uint8_t *copy = aligned_alloc(ALIGNMENT, (length / ALIGNMENT + 1) * ALIGNMENT);
    if (!copy)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a cache file of %llu bytes",
                       (unsigned long long)length);
    enum hy_code code = read_all(fd, copy, length, err);
    if (code != HY_OK) {
        free(copy);
        return code;
    }
    *ret = (struct hy_bytes){.data = copy, .length = length};
    return HY_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

enum hy_code hy_whole_write(int32_t fd, const struct hy_bytes *bytes, struct hy_error *err)
{
    if (ftruncate(fd, 0) != 0)
        return hy_fail(err, HY_FAILED, "a cache file cannot be emptied: %s", strerror(errno));
    for (uint64_t done = 0; done < bytes->length;) {
        const uint64_t left = bytes->length - done;
        const ssize_t put = pwrite(fd, (const uint8_t *)bytes->data + done,
                                   left < MOST_AT_ONCE ? left : MOST_AT_ONCE, (off_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return hy_fail(err, HY_FAILED, "%llu of %llu bytes of a cache file were written: %s",
                           (unsigned long long)done, (unsigned long long)bytes->length,
                           put < 0 ? strerror(errno) : "no room");
        done += (uint64_t)put;
    }
    return HY_OK;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

uint64_t hy_file_bytes(const int32_t *files, uint32_t count)
{
    uint64_t sum = 0;
    struct stat info;

    for (uint32_t i = 0; i < count; i++) {
        if (fstat(files[i], &info) == 0 && info.st_size > 0)
            sum += (uint64_t)info.st_size;
    }
    return sum;
}
