#include "cache_store/records/records_folder.h"

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
#define FILE_NAME  "records-2.db"
#define ASIDE_NAME "records-2.damaged"
#define LOCK_NAME  "records-2.lock"

/* Not the parents: a missing home directory is not created. */
static enum hy_code make_folder(const char *path, struct hy_error *err)
{
    if (mkdir(path, S_IRWXU) == 0 || errno == EEXIST || errno == EROFS)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "folder %s: %s", path, strerror(errno));
}

/* Checks the name itself, not the target of a symbolic link. */
static enum hy_code check_folder(const char *path, struct hy_error *err)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "folder %s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return hy_fail(err, HY_FAILED, "%s is not a folder", path);
    if (info.st_uid != geteuid())
        return hy_fail(err, HY_FAILED, "folder %s belongs to user %u, not to %u", path,
                       (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return hy_fail(err, HY_FAILED, "folder %s has mode %04o: others may write to it", path,
                       (unsigned)(info.st_mode & 07777));
    return HY_OK;
}

static enum hy_code check_owned_file(const char *path, const struct stat *info,
                                     struct hy_error *err)
{
    if (!S_ISREG(info->st_mode))
        return hy_fail(err, HY_FAILED, "%s is not an ordinary file", path);
    if (info->st_uid != geteuid())
        return hy_fail(err, HY_FAILED, "%s belongs to user %u, not to %u", path,
                       (unsigned)info->st_uid, (unsigned)geteuid());
    if (info->st_nlink != 1)
        return hy_fail(err, HY_FAILED, "%s has %u names", path, (unsigned)info->st_nlink);
    return HY_OK;
}

static enum hy_code name_files(const char *path, struct hy_records_folder *folder,
                               struct hy_error *err)
{
    folder->path = realpath(path, NULL);
    if (!folder->path)
        return hy_fail(err, errno == ENOMEM ? HY_OUT_OF_MEMORY : HY_FAILED, "folder %s: %s", path,
                       strerror(errno));

    const struct {
        char **name;
        const char *format;
    } names[] = {{&folder->file, "%s/" FILE_NAME},
                 {&folder->aside, "%s/" ASIDE_NAME},
                 {&folder->journal, "%s/" FILE_NAME "-journal"},
                 {&folder->lock, "%s/" LOCK_NAME}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (asprintf(names[i].name, names[i].format, folder->path) < 0) {
            *names[i].name = NULL;
            return hy_fail(err, HY_OUT_OF_MEMORY, "folder %s", path);
        }
    }
    return HY_OK;
}

/* On a read-only file system an existing lock file is used. */
static enum hy_code open_lock(struct hy_records_folder *folder, struct hy_error *err)
{
    const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    struct stat info;

    folder->lock_fd = open(folder->lock, O_RDWR | O_CREAT | flags, S_IRUSR | S_IWUSR);
    if (folder->lock_fd < 0 && errno == EROFS) {
        folder->lock_fd = open(folder->lock, O_RDONLY | flags);
        if (folder->lock_fd < 0 && errno == ENOENT)
            return HY_OK;
    }
    if (folder->lock_fd < 0 || fstat(folder->lock_fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", folder->lock, strerror(errno));
    return check_owned_file(folder->lock, &info, err);
}

enum hy_code hy_records_folder_open(const char *path, struct hy_records_folder *ret,
                                    struct hy_error *err)
{
    struct hy_records_folder folder = {.lock_fd = -1};

    enum hy_code code = make_folder(path, err);
    if (code == HY_OK)
        code = check_folder(path, err);
    if (code == HY_OK)
        code = name_files(path, &folder, err);
    if (code == HY_OK)
        code = check_folder(folder.path, err);
    if (code == HY_OK)
        code = open_lock(&folder, err);
    if (code != HY_OK) {
        hy_records_folder_close(&folder);
        return code;
    }
    *ret = folder;
    return HY_OK;
}

void hy_records_folder_close(struct hy_records_folder *folder)
{
    if (folder->path && folder->lock_fd >= 0)
        close(folder->lock_fd);
    free(folder->path);
    free(folder->file);
    free(folder->aside);
    free(folder->journal);
    free(folder->lock);
    *folder = (struct hy_records_folder){.lock_fd = -1};
}

enum hy_code hy_records_folder_lock(const struct hy_records_folder *folder, int64_t deadline,
                                    struct hy_error *err)
{
    /* Nanoseconds. Short pauses hit the gaps of a process with continuous accesses, each about 50
     * us long. */
    long pause = 20000;

    while (folder->lock_fd >= 0 && flock(folder->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return hy_fail(err, HY_FAILED, "locking %s: %s", folder->lock, strerror(errno));
        if (hy_clock_read(CLOCK_MONOTONIC) >= deadline)
            return hy_fail(err, HY_FAILED, "%s is busy", folder->file);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < 160000 ? pause * 2 : pause;
    }
    return HY_OK;
}

void hy_records_folder_unlock(const struct hy_records_folder *folder)
{
    if (folder->lock_fd >= 0)
        flock(folder->lock_fd, LOCK_UN);
}

bool hy_records_folder_is_current(const struct hy_records_folder *folder)
{
    struct stat ours, theirs;

    if (folder->lock_fd < 0)
        return true;
    return fstat(folder->lock_fd, &ours) == 0 && lstat(folder->lock, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

enum hy_code hy_records_folder_make_file(const struct hy_records_folder *folder, struct stat *ret,
                                         struct hy_error *err)
{
    const char *path = folder->file;
    struct stat info;

    if (lstat(path, &info) != 0 && errno == ENOENT) {
        (void)unlink(folder->journal); /* of a removed file: must not be applied to the new file */
        const int fd =
            open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (fd < 0)
            return hy_fail(err, HY_FAILED, "making %s: %s", path, strerror(errno));
        close(fd);
    }
    if (lstat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    enum hy_code code = check_owned_file(path, &info, err);
    if (code == HY_OK && (info.st_mode & 0077) && chmod(path, S_IRUSR | S_IWUSR) != 0)
        code = hy_fail(err, HY_FAILED, "%s is open to others: %s", path, strerror(errno));
    if (code == HY_OK)
        *ret = info;
    return code;
}

enum hy_code hy_records_folder_set_aside(const struct hy_records_folder *folder,
                                         struct hy_error *err)
{
    if (rename(folder->file, folder->aside) != 0 && errno != ENOENT)
        return hy_fail(err, HY_FAILED, "setting aside the damaged %s: %s", folder->file,
                       strerror(errno));
    (void)unlink(folder->journal);
    return HY_OK;
}
