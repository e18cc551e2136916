#include "runtime/cache/entry_copies.h"

#include "cache_store/digest/content_digest.h"
#include "runtime/cache/file_bytes.h"
#include "runtime/cache/size_signal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* 2000-01-01 in whole seconds, which every file system can store. */
static const struct timespec mark = {.tv_sec = 946684800};

/* ---- Whether they change --------------------------------------------------------------------- */

static bool has_mark(const struct hy_entry_file *file)
{
    struct stat info;

    return fstat(file->fd, &info) == 0 && info.st_mtim.tv_sec == mark.tv_sec &&
           info.st_mtim.tv_nsec == mark.tv_nsec;
}

static bool set_mark(const struct hy_entry_file *file)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, mark};

    return futimens(file->fd, times) == 0 && has_mark(file);
}

static bool is_same(const struct hy_entry_file *file)
{
    struct hy_file_sum sum;
    struct hy_bytes bytes;

    if (hy_private_copy(file->fd, file->length, &bytes, NULL) != HY_OK)
        return false; /* longer, or unreadable */
    hy_file_sum_make(bytes.data, bytes.length, &sum);
    free((void *)(uintptr_t)bytes.data);
    return sum.length == file->length && memcmp(sum.xxh3, file->digest, sizeof sum.xxh3) == 0;
}

static bool is_unchanged(const struct hy_entry_file *file)
{
    return has_mark(file) && is_same(file);
}

/* Stops at the first file for which `is_so` is false. */
static bool all_files(const struct hy_entry *entry, bool (*is_so)(const struct hy_entry_file *file))
{
    bool all = true;

    for (uint32_t i = 0; i < entry->counts.model && all; i++)
        all = is_so(&entry->model[i]);
    for (uint32_t i = 0; i < entry->counts.data && all; i++)
        all = is_so(&entry->data[i]);
    return all;
}

bool hy_entry_copies_mark(const struct hy_entry *entry)
{
    return all_files(entry, set_mark);
}

bool hy_entry_copies_are_unchanged(const struct hy_entry *entry)
{
    return !entry->is_kept_open && all_files(entry, is_unchanged);
}

/* ---- Copying --------------------------------------------------------------------------------- */

static enum hy_code copy_file(const struct hy_entry_file *from, int32_t to, struct hy_error *err)
{
    struct hy_bytes bytes;

    enum hy_code code = hy_private_copy(from->fd, HY_MAX_COPIED_DATA_CACHE, &bytes, err);
    if (code != HY_OK)
        return code;
    code = hy_whole_write(to, &bytes, err);
    free((void *)(uintptr_t)bytes.data);
    return code;
}

static enum hy_code copy_files(const struct hy_entry_file *from, const int32_t *to, uint32_t count,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = copy_file(&from[i], to[i], err);
    return code;
}

enum hy_code hy_entry_copies_copy(const struct hy_entry *entry,
                                  const struct hy_entry_writer *writer, struct hy_error *err)
{
    struct hy_size_signal signal;

    hy_size_signal_hold(&signal);
    enum hy_code code = copy_files(entry->model, writer->model, entry->counts.model, err);
    if (code == HY_OK)
        code = copy_files(entry->data, writer->data, entry->counts.data, err);
    hy_size_signal_release(&signal);
    return code;
}
