#include "runtime/drivers/crash_dir.h"

#include "common/array.h"
#include "runtime/cache/size_signal.h"
#include "runtime/state_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIR_NAME "openings"
#define SUFFIX   ".opening"
#define DAY      INT64_C(86400)

/* ---- A list ---------------------------------------------------------------------------------- */

enum hy_code hy_crash_file_list_add(struct hy_crash_file_list *list, const char *name,
                                    const struct hy_crash_record *record, struct hy_error *err)
{
    struct hy_crash_file *items = hy_array_grow(list->items, list->count, sizeof *items);
    if (!items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "record of driver %s", record->build.driver);

    list->items = items;
    snprintf(items[list->count].name, sizeof items->name, "%s", name);
    items[list->count++].record = *record;
    return HY_OK;
}

/* The capacity follows from the count, so the array only shrinks by its last element. */
void hy_crash_file_list_remove(struct hy_crash_file_list *list, uint32_t index)
{
    list->items[index] = list->items[--list->count];
    if (list->count == 0)
        hy_crash_file_list_finish(list);
}

void hy_crash_file_list_finish(struct hy_crash_file_list *list)
{
    free(list->items);
    *list = (struct hy_crash_file_list){0};
}

/* ---- The directory --------------------------------------------------------------------------- */

static enum hy_code fail_with(int error, const char *what, struct hy_error *err)
{
    return hy_fail(err, error == ENOMEM ? HY_OUT_OF_MEMORY : HY_FAILED, "%s: %s", what,
                   strerror(error));
}

static enum hy_code check_ours(int dir, const char *state, struct hy_error *err)
{
    struct stat info;

    if (fstat(dir, &info) != 0)
        return fail_with(errno, state, err);
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)))
        return hy_fail(
            err, HY_FAILED,
            "%s/%s: the owner is another user, or other users may write to the directory", state,
            DIR_NAME);
    return HY_OK;
}

static enum hy_code open_in(const char *state, bool makes, int *ret, struct hy_error *err)
{
    const int parent = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return fail_with(errno, state, err);

    if (makes)
        (void)mkdirat(parent, DIR_NAME, S_IRWXU);
    const int dir = openat(parent, DIR_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    enum hy_code code = dir < 0
                            ? hy_fail(err, HY_FAILED, "%s/%s: %s", state, DIR_NAME, strerror(errno))
                            : check_ours(dir, state, err);
    close(parent);
    if (code == HY_OK)
        *ret = dir;
    else if (dir >= 0)
        close(dir);
    return code;
}

enum hy_code hy_crash_dir_open(bool makes, int *ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *state = NULL;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    if (environment->is_privileged)
        return hy_fail(err, HY_FAILED, "the process runs with more rights than its caller");

    enum hy_code code = makes ? hy_state_dir_make(environment, hy_state_parents, &state, err)
                              : hy_state_dir_find(environment, hy_state_parents, &state, err);
    if (code == HY_OK)
        code = open_in(state, makes, ret, err);
    free(state);
    return code;
}

bool hy_crash_dir_remove(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || errno == ENOENT;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_record_name(const char *name)
{
    const size_t length = strlen(name);
    return length > sizeof SUFFIX - 1 && length < HY_CRASH_FILE_NAME_SIZE &&
           strcmp(name + length - (sizeof SUFFIX - 1), SUFFIX) == 0;
}

/* Another process may be writing the file. An unreadable file is ignored, and removed after a
 * day. */
static bool read_file(int dir, const char *name, struct hy_crash_record *ret)
{
    char bytes[sizeof *ret + 1];
    struct stat info;

    const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t length = read(fd, bytes, sizeof bytes);
    const bool is_whole = length >= 0 && hy_crash_record_parse(bytes, (size_t)length, ret);
    if (!is_whole && fstat(fd, &info) == 0 && info.st_mtime < time(NULL) - DAY)
        (void)hy_crash_dir_remove(dir, name);
    close(fd);
    return is_whole;
}

static enum hy_code read_files(int dir, DIR *entries, const struct hy_process_identity *own,
                               struct hy_crash_file_list *list, struct hy_error *err)
{
    struct hy_crash_record record;
    enum hy_code code = HY_OK;

    for (const struct dirent *entry;
         code == HY_OK && list->count < HY_CRASH_FILES_MOST && (entry = readdir(entries));) {
        if (is_record_name(entry->d_name) && read_file(dir, entry->d_name, &record) &&
            hy_crash_record_is_orphaned(&record, own))
            code = hy_crash_file_list_add(list, entry->d_name, &record, err);
    }
    return code;
}

enum hy_code hy_crash_dir_read(int dir, const struct hy_process_identity *own,
                               struct hy_crash_file_list *list, struct hy_error *err)
{
    const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return fail_with(error, DIR_NAME, err);
    }

    enum hy_code code = read_files(dir, entries, own, list, err);
    closedir(entries);
    return code;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void make_name(const struct hy_crash_record *record, char name[HY_CRASH_FILE_NAME_SIZE])
{
    snprintf(name, HY_CRASH_FILE_NAME_SIZE, "%d-%" PRIu64 SUFFIX, (int)record->process.process,
             record->process.start);
}

enum hy_code hy_crash_file_write(int file, const struct hy_crash_record *record,
                                 struct hy_error *err)
{
    struct hy_size_signal held;

    hy_size_signal_hold(&held);
    const ssize_t length = pwrite(file, record, sizeof *record, 0);
    const int error = errno;
    hy_size_signal_release(&held);
    if (length < 0)
        return hy_fail(err, HY_FAILED, "a record of a driver: %s", strerror(error));
    if ((size_t)length != sizeof *record)
        return hy_fail(err, HY_FAILED, "a record of a driver: only %zd of %zu bytes were written",
                       length, sizeof *record);
    return HY_OK;
}

enum hy_code hy_crash_dir_add(int dir, const struct hy_crash_record *record, int *ret,
                              struct hy_error *err)
{
    char name[HY_CRASH_FILE_NAME_SIZE];
    make_name(record, name);

    const int file =
        openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return hy_fail(err, HY_FAILED, "%s: %s", name, strerror(errno));
    enum hy_code code = hy_crash_file_write(file, record, err);
    if (code == HY_OK) {
        *ret = file;
        return HY_OK;
    }
    (void)hy_crash_dir_remove(dir, name);
    close(file);
    return code;
}

bool hy_crash_dir_remove_own(int dir, const struct hy_crash_record *record)
{
    char name[HY_CRASH_FILE_NAME_SIZE];
    make_name(record, name);
    return hy_crash_dir_remove(dir, name);
}
