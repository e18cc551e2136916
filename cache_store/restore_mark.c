#include "cache_store/restore_mark.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length of the file never changes: some file systems would wait for the disk. */
static const char unmarked = '0', marked = '1';

enum hy_code hy_restore_mark_create(int dir, struct hy_error *err)
{
    int fd = -1;

    enum hy_code code =
        hy_file_open(dir, HY_NAME_RESTORING, O_RDWR | O_CREAT | O_EXCL, &fd, NULL, err);
    if (code == HY_OK) {
        code = hy_file_write(fd, &unmarked, sizeof unmarked, 0, err);
        if (code != HY_OK)
            hy_error_set_prefix(err, code, "%s", HY_NAME_RESTORING);
        close(fd);
    }
    return code == HY_BAD_STATE ? HY_FAILED : code;
}

/* Forked children may have the descriptor, so the lock is released explicitly. */
static void let_go(int fd)
{
    flock(fd, LOCK_UN);
    close(fd);
}

/* True for a valid file that this user may only read. */
static bool is_read_only(int dir)
{
    int fd = -1;

    if (hy_file_open(dir, HY_NAME_RESTORING, O_RDONLY, &fd, NULL, NULL) != HY_OK)
        return false;
    close(fd);
    return faccessat(dir, HY_NAME_RESTORING, W_OK, AT_EACCESS) != 0;
}

/* Locks the file. -1: locked by another process, or not writable for this user. */
static enum hy_code lock_file(int dir, int *ret, struct stat *info, struct hy_error *err)
{
    int fd = -1;

    *ret = -1;
    enum hy_code code = hy_file_open(dir, HY_NAME_RESTORING, O_RDWR, &fd, info, err);
    if (code != HY_OK)
        return code == HY_FAILED || is_read_only(dir) ? HY_OK : code;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        *ret = fd;
    else
        close(fd);
    return HY_OK;
}

/* The file is locked here, so a process that left the mark has died. */
static enum hy_code check_byte(int fd, const struct stat *info, struct hy_error *err)
{
    char byte = unmarked;
    size_t length = 0;

    enum hy_code code = hy_file_read(fd, &byte, sizeof byte, &length, err);
    if (code != HY_OK)
        return code;
    if (byte == marked)
        return hy_fail(err, HY_BAD_DATA, "a process died while a driver restored the entry");
    if (info->st_size != sizeof byte || byte != unmarked)
        return hy_fail(err, HY_BAD_DATA, "%s is not \"%c\" or \"%c\"", HY_NAME_RESTORING, unmarked,
                       marked);
    return HY_OK;
}

enum hy_code hy_restore_mark_set(int dir, int *ret, struct hy_error *err)
{
    struct stat info;

    enum hy_code code = lock_file(dir, ret, &info, err);
    if (code != HY_OK || *ret < 0)
        return code;
    code = check_byte(*ret, &info, err);
    if (code == HY_OK && hy_file_write(*ret, &marked, sizeof marked, 0, NULL) == HY_OK)
        return HY_OK;
    let_go(*ret);
    *ret = -1;
    return code;
}

/* Clears the byte before unlocking. A byte that was written once can be written again. */
void hy_restore_mark_lift(int *mark)
{
    if (*mark < 0)
        return;
    (void)!hy_file_write(*mark, &unmarked, sizeof unmarked, 0, NULL);
    let_go(*mark);
    *mark = -1;
}
