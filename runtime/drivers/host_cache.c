#include "runtime/drivers/host_cache.h"

#include "common/lookup_failure.h"
#include "runtime/cache/content.h"
#include "runtime/cache/file_lock.h"
#include "runtime/cache/records.h"
#include "runtime/cache/session_list.h"
#include "runtime/cache/size_signal.h"
#include "runtime/cache/update.h"
#include "runtime/drivers/host.h"
#include "runtime/log.h"

/* A host call that uses records. */
struct visit {
    struct hy_records_owner owner;
    struct hy_records *records;
    struct hy_size_signal signal;
};

/* Logs a failure: the driver continues without a cache, so only the log informs the user. */
static int32_t end(void *context, const char *what, enum hy_code code, const struct hy_error *err)
{
    const struct hy_runtime_host *host = context;

    if (code == HY_OK)
        return HY_STATUS_OK;
    hy_log(HY_LOG_INFO, "cache", "%s: %s: %s", host->driver ? host->driver : "a driver", what,
           err->text);
    return HY_STATUS_GENERAL_FAILURE;
}

/* Records may be NULL; the reason is in the log. False: nothing is cached for this driver. */
static bool enter_for_files(void *context, struct visit *visit)
{
    struct hy_runtime_host *host = context;

    if (!atomic_load_explicit(&host->is_known, memory_order_acquire))
        return false;
    visit->owner =
        (struct hy_records_owner){.user = host->user, .driver = host->driver, .build = host->build};
    hy_size_signal_hold(&visit->signal);
    visit->records = hy_process_records();
    return true;
}

/* False: nothing is cached for this driver; the reason is in the log. */
static bool enter(void *context, struct visit *visit)
{
    if (!enter_for_files(context, visit))
        return false;
    if (visit->records)
        return true;
    hy_size_signal_release(&visit->signal);
    hy_lookup_failure_note();
    return false;
}

static int32_t leave(void *context, const struct visit *visit, const char *what, enum hy_code code,
                     const struct hy_error *err)
{
    hy_size_signal_release(&visit->signal);
    return end(context, what, code, err);
}

/* Ends a call that checks cache files for a driver. */
static int32_t leave_lookup(void *context, const struct visit *visit, const char *what,
                            enum hy_code code, const struct hy_error *err)
{
    if (code != HY_OK && code != HY_BAD_DATA && code != HY_BAD_STATE)
        hy_lookup_failure_note();
    return leave(context, visit, what, code, err);
}

/* ---- Digest map ------------------------------------------------------------------------------ */

static int32_t digest_store(void *context, const uint8_t *token, const uint8_t *digest)
{
    struct visit visit;
    struct hy_error err;

    if (!token || !digest)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave(context, &visit, "digest_store",
                 hy_digest_store(visit.records, &visit.owner, token, digest, &err), &err);
}

static int32_t digest_find(void *context, const uint8_t *token, uint8_t *digest)
{
    struct visit visit;
    struct hy_error err;

    if (!token || !digest)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave_lookup(context, &visit, "digest_find",
                        hy_digest_find(visit.records, &visit.owner, token, digest, &err), &err);
}

/* ---- Cache engine ---------------------------------------------------------------------------- */

static bool is_key(const void *key, uint64_t length)
{
    return key && length > 0 && length <= HY_MAX_BLOB_KEY;
}

static int32_t blob_store(void *context, const void *key, uint64_t key_length, const void *blob,
                          uint64_t blob_length)
{
    struct visit visit;
    struct hy_error err;

    if (!is_key(key, key_length) || (!blob && blob_length > 0) || blob_length > HY_MAX_BLOB)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave(
        context, &visit, "blob_store",
        hy_blob_store(visit.records, &visit.owner, key, key_length, blob, blob_length, &err), &err);
}

static int32_t blob_load(void *context, const void *key, uint64_t key_length, void *blob,
                         uint64_t capacity, uint64_t *blob_length)
{
    struct visit visit;
    struct hy_error err;
    uint64_t length = 0;

    if (!is_key(key, key_length) || (!blob && capacity > 0) || !blob_length)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = leave(
        context, &visit, "blob_load",
        hy_blob_load(visit.records, &visit.owner, key, key_length, blob, capacity, &length, &err),
        &err);
    if (status == HY_STATUS_OK)
        *blob_length = length;
    return status;
}

static int32_t blob_remove(void *context, const void *key, uint64_t key_length)
{
    struct visit visit;
    struct hy_error err;

    if (!is_key(key, key_length))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave(context, &visit, "blob_remove",
                 hy_blob_remove(visit.records, &visit.owner, key, key_length, &err), &err);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int32_t cache_save(void *context, const struct hy_cache_files *files,
                          const struct hy_bytes *model, const struct hy_bytes *data)
{
    struct visit visit;
    struct hy_error err;

    if (!enter(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave(context, &visit, "cache_save",
                 hy_cache_save(visit.records, &visit.owner, files, model, data, &err), &err);
}

static int32_t cache_restore(void *context, const struct hy_cache_files *files,
                             struct hy_restored *restored)
{
    struct visit visit;
    struct hy_error err;

    if (!restored || !HY_REACHES(restored, handle))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!enter_for_files(context, &visit))
        return HY_STATUS_GENERAL_FAILURE;
    return leave_lookup(context, &visit, "cache_restore",
                        hy_cache_restore(visit.records, &visit.owner, files, restored, &err), &err);
}

static void cache_release(void *context, struct hy_restored *restored)
{
    (void)context;
    hy_cache_release(restored);
}

/* ---- Later access ---------------------------------------------------------------------------- */

static int32_t cache_begin(void *context, const uint8_t *token, int32_t *model_cache,
                           int32_t *data_cache, void **update)
{
    struct hy_cache_update *begun = NULL;
    struct hy_error err;

    if (!token || !update || !model_cache || !data_cache)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status =
        end(context, "cache_begin",
            hy_cache_update_begin(token, model_cache, data_cache, &begun, &err), &err);
    if (status == HY_STATUS_OK)
        *update = begun;
    return status;
}

static int32_t cache_commit(void *context, void *update, uint32_t keep)
{
    struct hy_error err;

    if (!update)
        return HY_STATUS_INVALID_ARGUMENT;
    return end(context, "cache_commit", hy_cache_update_commit(update, keep != 0, &err), &err);
}

static int32_t cache_keep_open(void *context, const uint8_t *token)
{
    (void)context;
    if (!token)
        return HY_STATUS_INVALID_ARGUMENT;
    return hy_cache_sessions_keep_open(token) ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
}

static int32_t cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline)
{
    (void)context;
    const int32_t status = hy_file_lock(fd, exclusive, deadline);
    if (status != HY_STATUS_OK)
        hy_lookup_failure_note();
    return status;
}

static void cache_unlock(void *context, int32_t fd)
{
    (void)context;
    hy_file_unlock(fd);
}

void hy_host_fill_cache(struct hy_host *face)
{
    face->digest_store = digest_store;
    face->digest_find = digest_find;
    face->blob_store = blob_store;
    face->blob_load = blob_load;
    face->blob_remove = blob_remove;
    face->cache_save = cache_save;
    face->cache_restore = cache_restore;
    face->cache_release = cache_release;
    face->cache_begin = cache_begin;
    face->cache_commit = cache_commit;
    face->cache_keep_open = cache_keep_open;
    face->cache_lock = cache_lock;
    face->cache_unlock = cache_unlock;
}
