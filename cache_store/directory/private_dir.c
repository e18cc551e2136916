#include "cache_store/directory/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FUSE_MAGIC 0x65735546 /* linux/magic.h */

enum hy_code hy_dir_code(int error)
{
    switch (error) {
    case ENOMEM:
        return HY_OUT_OF_MEMORY;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case EMLINK:
        return HY_EXHAUSTED;
    default:
        return HY_FAILED;
    }
}

bool hy_dir_is_fixed(int fd, const struct stat *info)
{
    const bool is_roots = info->st_uid == 0;
    struct statfs system;

    if ((!is_roots && info->st_uid != geteuid()) || (info->st_mode & (S_IWGRP | S_IWOTH)) ||
        fstatfs(fd, &system) != 0 || system.f_type == FUSE_MAGIC)
        return false;
    return (is_roots && geteuid() != 0) || (system.f_flags & ST_RDONLY);
}

/* Checks owner and `mode`; the owner's write permission may be missing. */
static enum hy_code check_ours(int fd, const struct stat *info, mode_t mode, struct hy_error *err)
{
    const mode_t own = info->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    const bool is_own = info->st_uid == geteuid();

    if ((is_own && (own | S_IWUSR) == mode) || hy_dir_is_fixed(fd, info))
        return HY_OK;
    if (!is_own)
        return hy_fail(err, HY_BAD_DATA, "the owner is user %u, not this user", info->st_uid);
    return hy_fail(err, HY_BAD_DATA, "the mode is %03o, not %03o", own, mode);
}

/* ---- Directories ----------------------------------------------------------------------------- */

static enum hy_code open_dir(int parent, const char *name, int *ret, struct hy_error *err)
{
    struct stat info;
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const int error = errno;
    if (fd < 0 && error == ENOENT)
        return hy_fail(err, HY_BAD_STATE, "does not exist");
    if (fd < 0 && (error == ENOTDIR || error == ELOOP))
        return hy_fail(err, HY_BAD_DATA, "not a directory");
    if (fd < 0)
        return hy_fail(err, hy_dir_code(error), "%s", strerror(error));
    enum hy_code code = fstat(fd, &info) != 0 ? hy_fail(err, HY_FAILED, "%s", strerror(errno))
                                              : check_ours(fd, &info, S_IRWXU, err);
    if (code != HY_OK) {
        close(fd);
        return code;
    }
    *ret = fd;
    return HY_OK;
}

bool hy_dir_is_ours(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && check_ours(fd, &info, S_IRWXU, NULL) == HY_OK;
}

int hy_dir_mkdir(int parent, const char *name)
{
    if (mkdirat(parent, name, S_IRWXU) != 0)
        return -1;
    return fchmodat(parent, name, S_IRWXU, 0) == 0 || errno == ENOENT ? 0 : -1;
}

enum hy_code hy_dir_open(int parent, const char *name, int *ret, struct hy_error *err)
{
    enum hy_code code = open_dir(parent, name, ret, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", name);
}

enum hy_code hy_dir_make(int parent, const char *name, int *ret, struct hy_error *err)
{
    enum hy_code code = open_dir(parent, name, ret, NULL);
    if (code == HY_BAD_STATE && hy_dir_mkdir(parent, name) != 0 && errno != EEXIST)
        return hy_fail(err, hy_dir_code(errno), "%s: %s", name, strerror(errno));
    if (code != HY_OK)
        code = open_dir(parent, name, ret, err); /* fails again, with an error text */
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", name);
}

bool hy_dir_is_at(int parent, const char *name, int fd)
{
    struct stat named, open;
    return fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static enum hy_code check_file(int fd, struct stat *info, struct hy_error *err)
{
    if (fstat(fd, info) != 0)
        return hy_fail(err, HY_FAILED, "%s", strerror(errno));
    if (!S_ISREG(info->st_mode))
        return hy_fail(err, HY_BAD_DATA, "not a regular file");
    if (info->st_nlink != 1)
        return hy_fail(err, HY_BAD_DATA, "the file has %llu hard links, needs 1",
                       (unsigned long long)info->st_nlink);
    return check_ours(fd, info, S_IRUSR | S_IWUSR, err);
}

/* A file that cannot be opened is as invalid as a wrong file. */
static enum hy_code open_code(int error, int flags)
{
    const enum hy_code code = hy_dir_code(error);
    if (flags & O_CREAT)
        return error == EEXIST ? HY_BAD_STATE : code;
    return code == HY_FAILED && error != EROFS ? HY_BAD_DATA : code;
}

enum hy_code hy_file_open(int dir, const char *name, int flags, int *ret, struct stat *info,
                          struct hy_error *err)
{
    struct stat here;
    const int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                          S_IRUSR | S_IWUSR);
    if (fd < 0) {
        const int error = errno;
        return hy_fail(err, open_code(error, flags), "%s: %s", name, strerror(error));
    }
    if (flags & O_CREAT)
        fchmod(fd, S_IRUSR | S_IWUSR); /* independent of the umask */
    enum hy_code code = check_file(fd, info ? info : &here, err);
    if (code != HY_OK) {
        close(fd);
        return hy_error_prefix(err, code, "%s", name);
    }
    *ret = fd;
    return HY_OK;
}

enum hy_code hy_file_read(int fd, void *bytes, size_t capacity, size_t *ret, struct hy_error *err)
{
    size_t length = 0;
    while (length < capacity) {
        const ssize_t got = pread(fd, (char *)bytes + length, capacity - length, (off_t)length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hy_fail(err, HY_FAILED, "%s", strerror(errno));
        if (got == 0)
            break;
        length += (size_t)got;
    }
    *ret = length;
    return HY_OK;
}
