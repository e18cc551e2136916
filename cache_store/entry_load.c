#include "cache_store/entry_load.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/entry_content.h"
#include "cache_store/restore_mark.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- The files of an entry in memory --------------------------------------------------------- */

static void init_entry(struct hy_entry *entry)
{
    *entry = (struct hy_entry){.restore_mark = -1};
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        entry->model[i].fd = entry->data[i].fd = -1;
}

void hy_entry_finish(struct hy_entry *entry)
{
    for (uint32_t i = 0; i < entry->counts.model; i++)
        hy_content_drop(&entry->model[i]);
    for (uint32_t i = 0; i < entry->counts.data; i++)
        hy_content_drop(&entry->data[i]);
    hy_restore_mark_lift(&entry->restore_mark);
    entry->counts = (struct hy_file_counts){0};
}

void hy_loading_init(struct hy_loading *loading, int dir, const uint8_t *token,
                     struct hy_entry *entry)
{
    *loading = (struct hy_loading){
        .dir = dir, .token = token, .with_bytes = true, .entry = entry, .metadata_fd = -1};
    init_entry(entry);
}

/* ---- The metadata -----------------------------------------------------------------------------
 */

/* Sets the modification time, the time of the last use. Before reading, because the first read
 * after a change would update the access time as well. */
static void note_use(const struct hy_loading *loading)
{
    if (loading->access)
        futimens(loading->metadata_fd, NULL);
}

static enum hy_code read_metadata(struct hy_loading *loading, struct hy_error *err)
{
    struct hy_metadata *metadata = &loading->metadata;
    uint64_t length = (uint64_t)loading->metadata_info.st_size;
    size_t got = 0;

    enum hy_code code = hy_file_read(loading->metadata_fd, metadata, sizeof *metadata, &got, err);
    if (code == HY_OK && got < sizeof *metadata)
        length = got; /* the file was truncated */
    if (code == HY_OK)
        code = hy_metadata_check(metadata, length, err);
    if (code != HY_OK) {
        memset(metadata, 0, sizeof *metadata);
        return code;
    }
    if (memcmp(metadata->token, loading->token, HY_TOKEN_SIZE) != 0)
        return hy_fail(err, HY_BAD_DATA, "the metadata is for another token, %.16s…",
                       hy_token_name_make(metadata->token).text);
    return HY_OK;
}

/* ---- The files ------------------------------------------------------------------------------- */

/* A driver may write to a file that it gets; a read-only file is opened for reading. */
static bool is_to_be_written(const struct hy_loading *loading,
                             const struct hy_metadata_file *recorded)
{
    const struct hy_entry_access *access = loading->access;

    return access && access->passes_fds &&
           (loading->metadata.is_kept_open || recorded->length >= access->map_from);
}

static enum hy_code open_file(const struct hy_loading *loading,
                              const struct hy_metadata_file *recorded,
                              struct hy_content_file *content, struct stat *info,
                              struct hy_error *err)
{
    int *fd = &content->file->fd;

    content->is_writable =
        is_to_be_written(loading, recorded) &&
        hy_file_open(loading->dir, content->name, O_RDWR, fd, info, NULL) == HY_OK;
    return content->is_writable
               ? HY_OK
               : hy_file_open(loading->dir, content->name, O_RDONLY, fd, info, err);
}

static enum hy_code check_digest(const struct hy_entry_file *file, const char *name,
                                 const struct hy_metadata_file *recorded, struct hy_error *err)
{
    if (memcmp(file->digest, recorded->digest, sizeof recorded->digest) == 0)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s, %llu bytes: the digest differs from the digest in the metadata", name,
                   (unsigned long long)file->length);
}

static enum hy_code load_bytes(const struct hy_loading *loading,
                               const struct hy_content_file *content,
                               const struct hy_metadata_file *recorded, struct hy_error *err)
{
    enum hy_code code = loading->access ? hy_content_acquire(content, loading->access, err)
                                        : hy_content_read(content, err);
    return code == HY_OK ? check_digest(content->file, content->name, recorded, err) : code;
}

static enum hy_code load_file(const struct hy_loading *loading, struct hy_content_file *content,
                              const struct hy_metadata_file *recorded, struct hy_error *err)
{
    struct hy_entry_file *file = content->file;
    struct stat info;

    enum hy_code code = open_file(loading, recorded, content, &info, err);
    if (code != HY_OK)
        return code;
    file->length = (uint64_t)info.st_size;
    loading->entry->is_fixed = loading->entry->is_fixed && hy_dir_is_fixed(file->fd, &info);
    if (loading->metadata.is_kept_open)
        return loading->access ? hy_content_acquire_kept_open(content, loading->access, err)
                               : HY_OK;
    if (file->length != recorded->length)
        return hy_fail(err, HY_BAD_DATA, "%s has %llu bytes, the metadata says %llu", content->name,
                       (unsigned long long)file->length, (unsigned long long)recorded->length);
    return loading->with_bytes ? load_bytes(loading, content, recorded, err) : HY_OK;
}

static enum hy_code load_model(const struct hy_loading *loading, uint32_t i, struct hy_error *err)
{
    const struct hy_file_name name = hy_model_name_make(i);
    struct hy_content_file content = {
        .entry = loading->entry, .file = &loading->entry->model[i], .name = name.text};

    return load_file(loading, &content, &loading->metadata.model[i], err);
}

static enum hy_code load_data(const struct hy_loading *loading, uint32_t i, struct hy_error *err)
{
    const struct hy_file_name name = hy_data_name_make(i);
    struct hy_content_file content = {.entry = loading->entry,
                                      .file = &loading->entry->data[i],
                                      .name = name.text,
                                      .is_data = true};

    return load_file(loading, &content, &loading->metadata.data[i], err);
}

/* Directory and metadata. */
static bool is_fixed(const struct hy_loading *loading)
{
    struct stat info;

    return hy_dir_is_fixed(loading->metadata_fd, &loading->metadata_info) &&
           fstat(loading->dir, &info) == 0 && hy_dir_is_fixed(loading->dir, &info);
}

enum hy_code hy_loading_run(struct hy_loading *loading, struct hy_error *err)
{
    const struct hy_metadata *metadata = &loading->metadata;
    struct hy_entry *entry = loading->entry;

    enum hy_code code = hy_file_open(loading->dir, HY_NAME_METADATA, O_RDONLY,
                                     &loading->metadata_fd, &loading->metadata_info, err);
    if (code != HY_OK)
        return code;
    note_use(loading);
    code = read_metadata(loading, err);
    if (code != HY_OK)
        return code;
    entry->counts = metadata->counts;
    entry->is_kept_open = metadata->is_kept_open;
    entry->is_fixed = is_fixed(loading);
    for (uint32_t i = 0; code == HY_OK && i < metadata->counts.model; i++)
        code = load_model(loading, i, err);
    for (uint32_t i = 0; code == HY_OK && i < metadata->counts.data; i++)
        code = load_data(loading, i, err);
    return code;
}
