#include "runtime/cache/lend.h"

#include "cache_store/content_digest.h"
#include "runtime/cache/private_copy.h"
#include "runtime/cache/size_signal.h"

#include <stdlib.h>
#include <string.h>

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

enum hy_code hy_lend_take_back(const struct hy_entry *entry, const struct hy_entry_writer *writer,
                               struct hy_error *err)
{
    struct hy_size_signal signal;

    hy_size_signal_hold(&signal);
    enum hy_code code = copy_files(entry->model, writer->model, entry->counts.model, err);
    if (code == HY_OK)
        code = copy_files(entry->data, writer->data, entry->counts.data, err);
    hy_size_signal_release(&signal);
    return code;
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

bool hy_lend_is_unchanged(const struct hy_entry *entry)
{
    bool same = !entry->is_kept_open;

    for (uint32_t i = 0; i < entry->counts.model && same; i++)
        same = is_same(&entry->model[i]);
    for (uint32_t i = 0; i < entry->counts.data && same; i++)
        same = is_same(&entry->data[i]);
    return same;
}
