#include "cache_store/records/records_dir.h"

#include "common/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* The number is the layout version: other versions use their own file. */
#define FILE_NAME    "records-2.db"
#define DAMAGED_NAME "records-2.damaged"
#define LOCK_NAME    "records-2.lock"

/* Not the parents: a missing home directory is not created. */
static enum hy_code make_dir(const char *path, struct hy_error *err)
{
    if (mkdir(path, S_IRWXU) == 0 || errno == EEXIST || errno == EROFS)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "directory %s: %s", path, strerror(errno));
}

/* Checks the name itself, not the target of a symbolic link. */
static enum hy_code check_dir(const char *path, struct hy_error *err)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "directory %s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return hy_fail(err, HY_FAILED, "%s is not a directory", path);
    if (info.st_uid != geteuid())
        return hy_fail(err, HY_FAILED, "directory %s belongs to user %u, not to %u", path,
                       (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return hy_fail(err, HY_FAILED,
                       "directory %s has mode %04o: other users may write to the directory", path,
                       (unsigned)(info.st_mode & 07777));
    return HY_OK;
}

static enum hy_code check_owned_file(const char *path, const struct stat *info,
                                     struct hy_error *err)
{
    if (!S_ISREG(info->st_mode))
        return hy_fail(err, HY_FAILED, "%s is not a regular file", path);
    if (info->st_uid != geteuid())
        return hy_fail(err, HY_FAILED, "%s belongs to user %u, not to %u", path,
                       (unsigned)info->st_uid, (unsigned)geteuid());
    if (info->st_nlink != 1)
        return hy_fail(err, HY_FAILED, "%s has %u hard links, needs 1", path,
                       (unsigned)info->st_nlink);
    return HY_OK;
}

static enum hy_code name_files(const char *path, struct hy_records_dir *dir, struct hy_error *err)
{
    dir->path = realpath(path, NULL);
    if (!dir->path)
        return hy_fail(err, errno == ENOMEM ? HY_OUT_OF_MEMORY : HY_FAILED, "directory %s: %s",
                       path, strerror(errno));

    const struct {
        char **name;
        const char *format;
    } names[] = {{&dir->file, "%s/" FILE_NAME},
                 {&dir->damaged, "%s/" DAMAGED_NAME},
                 {&dir->journal, "%s/" FILE_NAME "-journal"},
                 {&dir->lock, "%s/" LOCK_NAME}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (asprintf(names[i].name, names[i].format, dir->path) < 0) {
            *names[i].name = NULL;
            return hy_fail(err, HY_OUT_OF_MEMORY, "folder %s", path);
        }
    }
    return HY_OK;
}

/* On a read-only file system an existing lock file is used. */
static enum hy_code open_lock(struct hy_records_dir *dir, struct hy_error *err)
{
    const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    struct stat info;

    dir->lock_fd = open(dir->lock, O_RDWR | O_CREAT | flags, S_IRUSR | S_IWUSR);
    if (dir->lock_fd < 0 && errno == EROFS) {
        dir->lock_fd = open(dir->lock, O_RDONLY | flags);
        if (dir->lock_fd < 0 && errno == ENOENT)
            return HY_OK;
    }
    if (dir->lock_fd < 0 || fstat(dir->lock_fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", dir->lock, strerror(errno));
    return check_owned_file(dir->lock, &info, err);
}

enum hy_code hy_records_dir_open(const char *path, struct hy_records_dir *ret, struct hy_error *err)
{
    struct hy_records_dir dir = {.lock_fd = -1};

    enum hy_code code = make_dir(path, err);
    if (code == HY_OK)
        code = check_dir(path, err);
    if (code == HY_OK)
        code = name_files(path, &dir, err);
    if (code == HY_OK)
        code = check_dir(dir.path, err);
    if (code == HY_OK)
        code = open_lock(&dir, err);
    if (code != HY_OK) {
        hy_records_dir_close(&dir);
        return code;
    }
    *ret = dir;
    return HY_OK;
}

void hy_records_dir_close(struct hy_records_dir *dir)
{
    if (dir->path && dir->lock_fd >= 0)
        close(dir->lock_fd);
    free(dir->path);
    free(dir->file);
    free(dir->damaged);
    free(dir->journal);
    free(dir->lock);
    *dir = (struct hy_records_dir){.lock_fd = -1};
}

enum hy_code hy_records_dir_lock(const struct hy_records_dir *dir, int64_t deadline,
                                 struct hy_error *err)
{
    /* Nanoseconds. Short pauses hit the gaps of a process with continuous accesses, each about 50
     * us long. */
    long pause = 20000;

    while (dir->lock_fd >= 0 && flock(dir->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return hy_fail(err, HY_FAILED, "locking %s: %s", dir->lock, strerror(errno));
        if (hy_clock_read(CLOCK_MONOTONIC) >= deadline)
            return hy_fail(err, HY_FAILED, "%s is locked by another process", dir->file);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < 160000 ? pause * 2 : pause;
    }
    return HY_OK;
}

void hy_records_dir_unlock(const struct hy_records_dir *dir)
{
    if (dir->lock_fd >= 0)
        flock(dir->lock_fd, LOCK_UN);
}

bool hy_records_dir_is_current(const struct hy_records_dir *dir)
{
    struct stat ours, theirs;

    if (dir->lock_fd < 0)
        return true;
    return fstat(dir->lock_fd, &ours) == 0 && lstat(dir->lock, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

enum hy_code hy_records_dir_make_file(const struct hy_records_dir *dir, struct stat *ret,
                                      struct hy_error *err)
{
    const char *path = dir->file;
    struct stat info;

    if (lstat(path, &info) != 0 && errno == ENOENT) {
        (void)unlink(dir->journal); /* of a removed file: must not be applied to the new file */
        const int fd =
            open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (fd < 0)
            return hy_fail(err, HY_FAILED, "creating %s: %s", path, strerror(errno));
        close(fd);
    }
    if (lstat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    enum hy_code code = check_owned_file(path, &info, err);
    if (code == HY_OK && (info.st_mode & 0077) && chmod(path, S_IRUSR | S_IWUSR) != 0)
        code = hy_fail(err, HY_FAILED,
                       "%s can be read by other users, and the mode cannot be changed: %s", path,
                       strerror(errno));
    if (code == HY_OK)
        *ret = info;
    return code;
}

enum hy_code hy_records_dir_move_damaged(const struct hy_records_dir *dir, struct hy_error *err)
{
    if (rename(dir->file, dir->damaged) != 0 && errno != ENOENT)
        return hy_fail(err, HY_FAILED, "renaming the damaged %s: %s", dir->file, strerror(errno));
    (void)unlink(dir->journal);
    return HY_OK;
}
