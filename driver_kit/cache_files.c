#include "driver_kit/cache_files.h"

#include "driver_kit/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LOCK_NS INT64_C(1000000000)

bool hy_cache_files_are_wanted(const struct hy_prepare_options *options, uint32_t model_count,
                               uint32_t data_count)
{
    return options->token && model_count + data_count > 0 &&
           options->model_cache_count == model_count && options->data_cache_count == data_count;
}

struct hy_cache_files hy_cache_files_from(const struct hy_prepare_options *options)
{
    return (struct hy_cache_files){.struct_size = sizeof(struct hy_cache_files),
                                   .model_count = options->model_cache_count,
                                   .data_count = options->data_cache_count,
                                   .token = options->token,
                                   .model = options->model_cache,
                                   .data = options->data_cache};
}

bool hy_cache_files_save(const struct hy_host *host, const struct hy_cache_files *files,
                         const struct hy_bytes *model, const struct hy_bytes *data)
{
    return HY_HAS(host, cache_save) &&
           host->cache_save(host->context, files, model, data) == HY_STATUS_OK;
}

/* Writes new, empty files of the host. Other processes see the files after cache_commit. */
bool hy_cache_files_replace(const struct hy_host *host, const uint8_t token[HY_TOKEN_SIZE],
                            const struct hy_bytes *model, uint32_t model_count,
                            const struct hy_bytes *data, uint32_t data_count)
{
    int32_t model_fds[HY_MAX_CACHE_FILES], data_fds[HY_MAX_CACHE_FILES];
    void *update = NULL;
    if (!HY_HAS(host, cache_begin) || !HY_HAS(host, cache_commit) ||
        host->cache_begin(host->context, token, model_fds, data_fds, &update) != HY_STATUS_OK)
        return false; /* another process is writing, or there is no space; a later prepare tries
                         again */
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = model_count,
                                         .data_count = data_count,
                                         .token = token,
                                         .model = model_fds,
                                         .data = data_fds};
    const bool saved = hy_cache_files_save(host, &files, model, data);
    host->cache_commit(host->context, update, saved);
    return saved;
}

int32_t hy_cache_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                               struct hy_restored *restored)
{
    struct hy_restored made = {.struct_size = sizeof made};
    *restored = (struct hy_restored){0};
    if (!HY_HAS(host, cache_restore) || !HY_HAS(host, cache_release) ||
        host->cache_restore(host->context, files, &made) != HY_STATUS_OK)
        return HY_STATUS_GENERAL_FAILURE;
    *restored = made;
    return HY_STATUS_OK;
}

void hy_cache_files_release(const struct hy_host *host, struct hy_restored *restored)
{
    if (restored->struct_size > 0)
        host->cache_release(host->context, restored);
    *restored = (struct hy_restored){0};
}

/* ---- Files that are written late ------------------------------------------------------------- */

static bool can_keep_open(const struct hy_host *host)
{
    return HY_HAS(host, cache_keep_open) && HY_HAS(host, cache_lock) && HY_HAS(host, cache_unlock);
}

static bool duplicate(const int32_t *from, uint32_t count, int32_t *to)
{
    bool done = true;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 0);
        done = to[i] >= 0 && done;
    }
    return done;
}

static void close_all(const int32_t *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Duplicates the descriptors, because the caller closes its own after prepare. */
static bool keep_open(const struct hy_host *host, const struct hy_cache_files *files,
                      struct hy_deferred_files *deferred)
{
    deferred->is_open = true;
    const bool has_model = duplicate(files->model, files->model_count, deferred->model);
    const bool has_data = duplicate(files->data, files->data_count, deferred->data);
    return has_model && has_data &&
           host->cache_keep_open(host->context, files->token) == HY_STATUS_OK;
}

void hy_deferred_files_note(const struct hy_host *host, const struct hy_cache_files *files,
                            bool keeps_open, struct hy_deferred_files *deferred)
{
    *deferred = (struct hy_deferred_files){0};
    if (files->model_count > HY_MAX_CACHE_FILES || files->data_count > HY_MAX_CACHE_FILES ||
        (keeps_open && (!can_keep_open(host) || files->model_count == 0)))
        return;
    deferred->is_wanted = true;
    deferred->model_count = files->model_count;
    deferred->data_count = files->data_count;
    memcpy(deferred->token, files->token, sizeof deferred->token);
    if (keeps_open && !keep_open(host, files, deferred))
        hy_deferred_files_close(deferred);
}

void hy_deferred_files_close(struct hy_deferred_files *deferred)
{
    if (deferred->is_open) {
        close_all(deferred->model, deferred->model_count);
        close_all(deferred->data, deferred->data_count);
    }
    *deferred = (struct hy_deferred_files){0};
}

/* The lock of the first model file protects all files. */
static bool save_kept_open(const struct hy_host *host, const struct hy_deferred_files *deferred,
                           const struct hy_bytes *model, const struct hy_bytes *data)
{
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = deferred->model_count,
                                         .data_count = deferred->data_count,
                                         .token = deferred->token,
                                         .model = deferred->model,
                                         .data = deferred->data};
    if (host->cache_lock(host->context, deferred->model[0], 1, hy_boottime() + LOCK_NS) !=
        HY_STATUS_OK)
        return false;
    const bool saved = hy_cache_files_save(host, &files, model, data);
    host->cache_unlock(host->context, deferred->model[0]);
    return saved;
}

bool hy_deferred_files_save(const struct hy_host *host, const struct hy_deferred_files *deferred,
                            const struct hy_bytes *model, const struct hy_bytes *data)
{
    if (!deferred->is_wanted)
        return false;
    return deferred->is_open
               ? save_kept_open(host, deferred, model, data)
               : hy_cache_files_replace(host, deferred->token, model, deferred->model_count, data,
                                        deferred->data_count);
}

int32_t hy_kept_open_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                                   int64_t deadline, struct hy_restored *restored)
{
    *restored = (struct hy_restored){0};
    if (!can_keep_open(host) || files->model_count == 0)
        return HY_STATUS_GENERAL_FAILURE;
    int32_t status = host->cache_lock(host->context, files->model[0], 0, deadline);
    if (status != HY_STATUS_OK)
        return status;
    status = hy_cache_files_restore(host, files, restored);
    host->cache_unlock(host->context, files->model[0]);
    return status;
}
