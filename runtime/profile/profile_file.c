#include "runtime/profile/profile_file.h"

#include "common/lock_wait.h"
#include "halyard/driver.h"
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAME HY_PROFILE_FILE_NAME ".new" /* writers are serialized */

/* ---- Reading --------------------------------------------------------------------------------- */

/* A file writable for other users would let them choose the devices. */
static enum hy_code check_file(int fd, struct hy_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s", strerror(errno));
    if (!S_ISREG(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "not a regular file");
    if (info.st_uid != geteuid())
        return hy_fail(err, HY_BAD_DATA, "the file belongs to user %u", info.st_uid);
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return hy_fail(err, HY_BAD_DATA, "other users may write to the file (mode %03o)",
                       info.st_mode & 0777u);
    if (info.st_size > (off_t)HY_PROFILE_FILE_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "the file has %lld bytes, at most %u are allowed",
                       (long long)info.st_size, HY_PROFILE_FILE_MAX_BYTES);
    return HY_OK;
}

/* Reads up to `room` bytes or to the end of the file; below 0: error. */
static ssize_t read_all(int fd, char *text, size_t capacity)
{
    size_t length = 0;
    while (length < capacity) {
        const ssize_t got = read(fd, text + length, capacity - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

static enum hy_code read_and_parse(int fd, struct hy_profile_file *ret, struct hy_error *err)
{
    const size_t capacity = HY_PROFILE_FILE_MAX_BYTES + (size_t)1; /* + 1 detects a growing file */
    enum hy_code code = check_file(fd, err);
    if (code != HY_OK)
        return code;
    char *text = malloc(capacity);
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes", capacity);

    const ssize_t length = read_all(fd, text, capacity);
    if (length < 0)
        code = hy_fail(err, HY_FAILED, "%s", strerror(errno));
    else
        code = hy_profile_file_parse(text, (size_t)length, ret, err);
    free(text);
    return code;
}

/* O_NONBLOCK: a fifo in place of the file must not block. */
static enum hy_code read_in(int dir, struct hy_profile_file *ret, struct hy_error *err)
{
    const int fd = openat(dir, HY_PROFILE_FILE_NAME,
                          O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        *ret = (struct hy_profile_file){0};
        return HY_OK;
    }
    if (fd < 0 && errno == ELOOP)
        return hy_fail(err, HY_BAD_DATA, "a symbolic link");
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s", strerror(errno));
    enum hy_code code = read_and_parse(fd, ret, err);
    close(fd);
    return code;
}

enum hy_code hy_profile_file_read(const char *dir, struct hy_profile_file *ret,
                                  struct hy_error *err)
{
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        *ret = (struct hy_profile_file){0};
        return HY_OK;
    }
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s: %s", dir, strerror(errno));
    enum hy_code code = read_in(fd, ret, err);
    close(fd);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s/%s", dir, HY_PROFILE_FILE_NAME);
    return HY_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t put = write(fd, text, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        length -= (size_t)put;
    }
    return true;
}

/* Writes a new file, syncs it, and renames it over the old file. */
static bool replace(int dir, const char *text, size_t length)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;

    unlinkat(dir, TEMPORARY_NAME, 0); /* left by a dead writer */
    const int fd = openat(dir, TEMPORARY_NAME, flags, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return false;
    bool done = write_all(fd, text, length) && fsync(fd) == 0;
    done = close(fd) == 0 && done;
    done = done && renameat(dir, TEMPORARY_NAME, dir, HY_PROFILE_FILE_NAME) == 0;
    if (!done) {
        const int error = errno;
        unlinkat(dir, TEMPORARY_NAME, 0);
        errno = error;
        return false;
    }
    return fsync(dir) == 0;
}

static enum hy_code write_in(int dir, const struct hy_profile_file *file, struct hy_error *err)
{
    char *text = NULL;
    enum hy_code code = hy_profile_file_format(file, &text, err);
    if (code != HY_OK)
        return code;

    const size_t length = strlen(text);
    if (length > HY_PROFILE_FILE_MAX_BYTES)
        code = hy_fail(err, HY_BAD_DATA, "the file would have %zu bytes, at most %u are allowed",
                       length, HY_PROFILE_FILE_MAX_BYTES);
    else if (!replace(dir, text, length))
        code = hy_fail(err, HY_FAILED, "%s", strerror(errno));
    free(text);
    return code;
}

static enum hy_code copy_record(struct hy_profile_file *file,
                                const struct hy_profile_record *record, struct hy_error *err)
{
    struct hy_profile_record *copy;

    enum hy_code code = hy_profile_file_put(file, record->device, record->version, record->build_id,
                                            record->cpu, &copy, err);
    return code == HY_OK ? hy_profile_copy(&copy->profile, &record->profile, err) : code;
}

/* Call with the directory lock held. */
static enum hy_code update_in(int dir, const struct hy_profile_record *record, struct hy_error *err)
{
    struct hy_profile_file file = {0};
    struct hy_error why;

    enum hy_code code = read_in(dir, &file, &why);
    if (code == HY_BAD_DATA)
        hy_log(HY_LOG_WARNING, "profile", "%s is replaced: %s", HY_PROFILE_FILE_NAME, why.text);
    else if (code != HY_OK)
        return hy_fail(err, code, "%s", why.text);
    code = copy_record(&file, record, err);
    if (code == HY_OK)
        code = write_in(dir, &file, err);
    hy_profile_file_finish(&file);
    return code;
}

enum hy_code hy_profile_file_update(const char *dir, const struct hy_profile_record *record,
                                    struct hy_error *err)
{
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s: %s", dir, strerror(errno));
    enum hy_code code = hy_lock_wait(fd, true, HY_NO_DEADLINE, -1);
    if (code == HY_OK) {
        code = update_in(fd, record, err);
        (void)flock(fd, LOCK_UN); /* a helper thread of hy_lock_wait may still have it open */
    } else {
        code = hy_fail(err, code,
                       code == HY_FAILED ? "the lock failed"
                                         : "another process or thread has the lock");
    }
    close(fd);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s/%s", dir, HY_PROFILE_FILE_NAME);
    return HY_OK;
}
