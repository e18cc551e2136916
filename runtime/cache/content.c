#include "runtime/cache/content.h"

#include "cache_store/digest/content_digest.h"
#include "runtime/cache/file_bytes.h"
#include "runtime/cache/session_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Arguments of drivers are checked, as a driver is a foreign library. */
static enum hy_code check_files(const struct hy_cache_files *files, struct hy_error *err)
{
    if (!files || !HY_REACHES(files, data) || !files->token ||
        files->model_count > HY_MAX_CACHE_FILES || files->data_count > HY_MAX_CACHE_FILES ||
        (files->model_count > 0 && !files->model) || (files->data_count > 0 && !files->data))
        return hy_fail(err, HY_BAD_DATA, "cache files have no token, no count or no descriptors");
    return HY_OK;
}

static enum hy_code check_bytes(const struct hy_bytes *bytes, uint32_t count, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!bytes || (!bytes[i].data && bytes[i].length > 0))
            return hy_fail(err, HY_BAD_DATA, "cache file %u has a NULL content", i);
    }
    return HY_OK;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* A caller that has opened an entry relies on unchanged files. */
static enum hy_code check_unpublished(const struct hy_cache_files *files, struct hy_error *err)
{
    struct hy_entry *found = hy_cache_sessions_find_entry(files);
    const bool is_published = found && !found->is_kept_open;

    hy_entry_close(found);
    return is_published ? hy_fail(err, HY_BAD_STATE,
                                  "the cache files belong to a published entry, which is read-only")
                        : HY_OK;
}

static enum hy_code record(struct hy_records *records, const struct hy_records_owner *owner,
                           const struct hy_cache_files *files, const struct hy_bytes *model,
                           const struct hy_bytes *data, struct hy_error *err)
{
    struct hy_file_sum sums[HY_MAX_CACHE_FILES];
    uint8_t digest[HY_DIGEST_SIZE];

    for (uint32_t i = 0; i < files->data_count; i++)
        hy_file_sum_make(data[i].data, data[i].length, &sums[i]);
    enum hy_code code =
        hy_content_digest(model, files->model_count, sums, files->data_count, digest, err);
    return code == HY_OK ? hy_digest_store(records, owner, files->token, digest, err) : code;
}

static enum hy_code write_files(const int32_t *files, const struct hy_bytes *bytes, uint32_t count,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hy_whole_write(files[i], &bytes[i], err);
    return code;
}

static void empty_files(const int32_t *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ftruncate(files[i], 0) != 0)
            continue; /* the length or digest check will fail later */
    }
}

enum hy_code hy_cache_save(struct hy_records *records, const struct hy_records_owner *owner,
                           const struct hy_cache_files *files, const struct hy_bytes *model,
                           const struct hy_bytes *data, struct hy_error *err)
{
    enum hy_code code = check_files(files, err);
    if (code == HY_OK)
        code = check_bytes(model, files->model_count, err);
    if (code == HY_OK)
        code = check_bytes(data, files->data_count, err);
    if (code == HY_OK)
        code = check_unpublished(files, err);
    if (code != HY_OK)
        return code;

    code = record(records, owner, files, model, data, err);
    if (code == HY_OK)
        code = write_files(files->model, model, files->model_count, err);
    if (code == HY_OK)
        code = write_files(files->data, data, files->data_count, err);
    if (code != HY_OK) {
        empty_files(files->model, files->model_count);
        empty_files(files->data, files->data_count);
    }
    return code;
}

/* ---- Restoring ------------------------------------------------------------------------------- */

/* The object behind hy_restored.handle. */
struct content {
    struct hy_entry *found; /* owner of the data bytes; NULL: the data are copies */
    uint32_t model_count, data_count;
    struct hy_bytes model[HY_MAX_CACHE_FILES];
    struct hy_bytes data[HY_MAX_CACHE_FILES];
};

static const uint8_t nothing[64] __attribute__((aligned(64)));

static void destroy(struct content *content)
{
    for (uint32_t i = 0; i < content->model_count; i++)
        free((void *)(uintptr_t)content->model[i].data);
    for (uint32_t i = 0; !content->found && i < content->data_count; i++)
        free((void *)(uintptr_t)content->data[i].data);
    hy_entry_close(content->found);
    free(content);
}

/* `*count` grows with each copied file. */
static enum hy_code copy_files(const int32_t *files, uint32_t wanted, uint64_t capacity,
                               struct hy_bytes *bytes, uint32_t *count, struct hy_error *err)
{
    for (uint32_t i = 0; i < wanted; i++) {
        enum hy_code code = hy_private_copy(files[i], capacity, &bytes[i], err);
        if (code != HY_OK)
            return code;
        capacity -= bytes[i].length;
        ++*count;
    }
    return HY_OK;
}

/* Not for an entry that the driver keeps open for writing. */
static bool has_bytes(const struct hy_entry *entry)
{
    for (uint32_t i = 0; i < entry->counts.data; i++) {
        if (entry->data[i].length > 0 && !entry->data[i].address)
            return false;
    }
    return !entry->is_kept_open;
}

static void reference_bytes(struct content *content, const struct hy_entry *entry,
                            struct hy_file_sum *sums)
{
    for (uint32_t i = 0; i < entry->counts.data; i++) {
        const struct hy_entry_file *file = &entry->data[i];
        content->data[i] = (struct hy_bytes){.data = file->length > 0 ? file->address : nothing,
                                             .length = file->length};
        sums[i].length = file->length;
        memcpy(sums[i].xxh3, file->digest, sizeof sums[i].xxh3);
    }
    content->data_count = entry->counts.data;
}

static enum hy_code load_data(struct content *content, const struct hy_cache_files *files,
                              struct hy_file_sum *sums, struct hy_error *err)
{
    struct hy_entry *found = hy_cache_sessions_find_entry(files);

    if (found && has_bytes(found)) {
        content->found = found;
        reference_bytes(content, found, sums);
        return HY_OK;
    }
    hy_entry_close(found);
    enum hy_code code = copy_files(files->data, files->data_count, HY_MAX_COPIED_DATA_CACHE,
                                   content->data, &content->data_count, err);
    for (uint32_t i = 0; code == HY_OK && i < content->data_count; i++)
        hy_file_sum_make(content->data[i].data, content->data[i].length, &sums[i]);
    return code;
}

static bool have_digests(const struct hy_bytes *bytes, const struct hy_entry_file *files,
                         uint32_t count)
{
    bool have = true;

    for (uint32_t i = 0; have && i < count; i++) {
        struct hy_file_sum sum;
        hy_file_sum_make(bytes[i].data, bytes[i].length, &sum);
        have = memcmp(sum.xxh3, files[i].digest, sizeof sum.xxh3) == 0;
    }
    return have;
}

/* A process of this user cannot change a read-only entry, so the digests in its metadata are valid.
 * Data mapped from the entry are verified already. */
static bool is_vouched_for(const struct content *content, const struct hy_cache_files *files)
{
    struct hy_entry *found = hy_cache_sessions_find_entry(files);
    const bool is_vouched =
        found && found->is_fixed && !found->is_kept_open &&
        have_digests(content->model, found->model, content->model_count) &&
        (content->found || have_digests(content->data, found->data, content->data_count));

    hy_entry_close(found);
    return is_vouched;
}

static enum hy_code check_record(struct hy_records *records, const struct hy_records_owner *owner,
                                 const uint8_t *token, const uint8_t *digest, struct hy_error *err)
{
    if (!records)
        return hy_fail(err, HY_FAILED, "the digest cannot be checked: records are not available");
    enum hy_code code = hy_digest_check(records, owner, token, digest, err);
    if (code == HY_BAD_STATE)
        return hy_fail(err, HY_BAD_DATA, "no digest is recorded for this token");
    return code;
}

static enum hy_code fill(struct content *content, struct hy_records *records,
                         const struct hy_records_owner *owner, const struct hy_cache_files *files,
                         struct hy_error *err)
{
    struct hy_file_sum sums[HY_MAX_CACHE_FILES];
    uint8_t digest[HY_DIGEST_SIZE];

    enum hy_code code = copy_files(files->model, files->model_count, HY_MAX_COPIED_MODEL_CACHE,
                                   content->model, &content->model_count, err);
    if (code == HY_OK)
        code = load_data(content, files, sums, err);
    if (code != HY_OK || is_vouched_for(content, files))
        return code;
    code = hy_content_digest(content->model, content->model_count, sums, content->data_count,
                             digest, err);
    return code == HY_OK ? check_record(records, owner, files->token, digest, err) : code;
}

enum hy_code hy_cache_restore(struct hy_records *records, const struct hy_records_owner *owner,
                              const struct hy_cache_files *files, struct hy_restored *ret,
                              struct hy_error *err)
{
    enum hy_code code = check_files(files, err);
    if (code != HY_OK)
        return code;
    struct content *content = calloc(1, sizeof *content);
    if (!content)
        return hy_fail(err, HY_OUT_OF_MEMORY, "content of cache files");

    code = fill(content, records, owner, files, err);
    if (code != HY_OK) {
        destroy(content);
        return code;
    }
    ret->model = content->model;
    ret->data = content->data;
    ret->handle = content;
    return HY_OK;
}

void hy_cache_release(struct hy_restored *restored)
{
    if (!restored || !restored->handle)
        return;
    destroy(restored->handle);
    restored->handle = NULL;
    restored->model = restored->data = NULL;
}
