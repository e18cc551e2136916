#include "runtime/drivers/crash_folder.h"

#include "common/array.h"
#include "runtime/state_folder.h"

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

#define FOLDER_NAME "openings"
#define SUFFIX      ".opening"
#define DAY         (24 * 60 * 60)

enum { MOST_FILES = 64 };

/* ---- The folder ------------------------------------------------------------------------------ */

static bool is_ours(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && facts.st_uid == geteuid() &&
           !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_in(const char *state, bool makes)
{
    const int parent = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return -1;
    if (makes)
        (void)mkdirat(parent, FOLDER_NAME, S_IRWXU);
    int folder = openat(parent, FOLDER_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(parent);
    if (folder >= 0 && !is_ours(folder)) {
        close(folder);
        folder = -1;
    }
    return folder;
}

enum hy_code hy_crash_folder_open(bool makes, int *ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *state = NULL;

    *ret = -1;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    if (environment->is_privileged)
        return HY_OK;
    const enum hy_code code =
        makes ? hy_state_folder_make(environment, hy_state_parents, &state, err)
              : hy_state_folder_find(environment, hy_state_parents, &state, err);
    if (code == HY_OK)
        *ret = open_in(state, makes);
    free(state);
    return code == HY_OUT_OF_MEMORY ? code : HY_OK;
}

bool hy_crash_folder_remove(int folder, const char *name)
{
    return unlinkat(folder, name, 0) == 0 || errno == ENOENT;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_record_name(const char *name)
{
    const size_t length = strlen(name);
    return length > sizeof SUFFIX - 1 && length < HY_CRASH_FILE_NAME_SIZE &&
           strcmp(name + length - (sizeof SUFFIX - 1), SUFFIX) == 0;
}

/* Somebody may be about to write it: what nobody can read counts for nothing, and goes in the end.
 */
static bool read_file(int folder, const char *name, struct hy_crash_record *ret)
{
    char bytes[sizeof *ret + 1];
    struct stat facts;

    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t length = read(fd, bytes, sizeof bytes);
    const bool is_old = fstat(fd, &facts) == 0 && facts.st_mtime < time(NULL) - DAY;
    close(fd);
    const bool is_whole = length >= 0 && hy_crash_record_parse(bytes, (size_t)length, ret);
    if (!is_whole && is_old)
        (void)hy_crash_folder_remove(folder, name);
    return is_whole;
}

static enum hy_code append(int folder, const char *name, struct hy_crash_file_list *list,
                           struct hy_error *err)
{
    struct hy_crash_record record;
    if (!read_file(folder, name, &record))
        return HY_OK;
    struct hy_crash_file *items = hy_array_grow(list->items, list->count, sizeof *items);
    if (!items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "records of openings");

    list->items = items;
    strcpy(items[list->count].name, name);
    items[list->count++].record = record;
    return HY_OK;
}

enum hy_code hy_crash_folder_read(int folder, struct hy_crash_file_list *ret, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);

    *ret = (struct hy_crash_file_list){0};
    if (!entries) {
        if (fd >= 0)
            close(fd);
        return HY_OK;
    }
    for (const struct dirent *entry;
         code == HY_OK && ret->count < MOST_FILES && (entry = readdir(entries));) {
        if (is_record_name(entry->d_name))
            code = append(folder, entry->d_name, ret, err);
    }
    closedir(entries);
    return code;
}

void hy_crash_file_list_finish(struct hy_crash_file_list *list)
{
    free(list->items);
    *list = (struct hy_crash_file_list){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

void hy_crash_file_name(const struct hy_crash_record *record, char name[HY_CRASH_FILE_NAME_SIZE])
{
    snprintf(name, HY_CRASH_FILE_NAME_SIZE, "%d-%" PRIu64 SUFFIX, (int)record->process.process,
             record->process.start);
}

int hy_crash_folder_add(int folder, const struct hy_crash_record *record)
{
    char name[HY_CRASH_FILE_NAME_SIZE];
    hy_crash_file_name(record, name);

    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            S_IRUSR | S_IWUSR);
    if (file < 0)
        return -1;
    if (write(file, record, sizeof *record) == (ssize_t)sizeof *record)
        return file;
    (void)hy_crash_folder_remove(folder, name);
    close(file);
    return -1;
}

bool hy_crash_file_set_call(int file, const struct hy_crash_record *record)
{
    return pwrite(file, record->call, sizeof record->call,
                  offsetof(struct hy_crash_record, call)) == (ssize_t)sizeof record->call;
}
