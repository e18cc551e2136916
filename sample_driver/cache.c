#include "cache.h"

#include "artefact.h"
#include "driver_kit/clock.h"
#include "driver_kit/quota_memory.h"
#include "run.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LOCK_NS INT64_C(1000000000) /* as long as an execution waits to write */

bool sample_cache_is_wanted(const struct sample_arguments *arguments,
                            const struct hy_prepare_options *options)
{
    return arguments->cache_files > 0 && options->token &&
           options->model_cache_count == SAMPLE_MODEL_FILES &&
           options->data_cache_count == arguments->cache_files;
}

struct hy_cache_files sample_cache_files(const struct hy_prepare_options *options)
{
    return (struct hy_cache_files){.struct_size = sizeof(struct hy_cache_files),
                                   .model_count = options->model_cache_count,
                                   .data_count = options->data_cache_count,
                                   .token = options->token,
                                   .model = options->model_cache,
                                   .data = options->data_cache};
}

bool sample_cache_save(const struct hy_host *host, const struct hy_cache_files *files,
                       const struct sample_program *program)
{
    struct sample_artefact artefact = {0};
    if (!HY_HAS(host, cache_save))
        return false; /* a host without a cache */
    const bool saved =
        sample_artefact_make(program, files->data_count, &artefact) &&
        host->cache_save(host->context, files, &artefact.model, artefact.data) == HY_STATUS_OK;
    sample_artefact_finish(&artefact);
    return saved;
}

/* The files are the host's, empty, and nobody else sees them before the commit. */
void sample_cache_replace(const struct hy_host *host, const struct sample_arguments *arguments,
                          const uint8_t *token, const struct sample_program *program)
{
    int32_t model[SAMPLE_MODEL_FILES], data[HY_MAX_CACHE_FILES];
    void *update = NULL;
    if (!HY_HAS(host, cache_begin) || !HY_HAS(host, cache_commit) ||
        host->cache_begin(host->context, token, model, data, &update) != HY_STATUS_OK)
        return; /* somebody else is at it, or there is no room: the next one may be luckier */
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = SAMPLE_MODEL_FILES,
                                         .data_count = arguments->cache_files,
                                         .token = token,
                                         .model = model,
                                         .data = data};
    const bool saved = sample_cache_save(host, &files, program);
    host->cache_commit(host->context, update, saved);
}

/* The host's copy of the model cache has been checked where nobody can change it, so it is trusted;
 * the data may change while we use it, and is only computed with. */
int32_t sample_cache_restore(const struct hy_host *host, const struct hy_cache_files *files,
                             struct sample_restored *restored)
{
    struct sample_restored made = {.by_host = {.struct_size = sizeof made.by_host}};
    if (!HY_HAS(host, cache_restore) || !HY_HAS(host, cache_release) ||
        host->cache_restore(host->context, files, &made.by_host) != HY_STATUS_OK)
        return HY_STATUS_GENERAL_FAILURE;
    made.program =
        sample_artefact_read(host, made.by_host.model, made.by_host.data, files->data_count);
    if (!made.program) {
        host->cache_release(host->context, &made.by_host);
        return HY_STATUS_GENERAL_FAILURE;
    }
    *restored = made;
    return HY_STATUS_OK;
}

void sample_restored_finish(const struct hy_host *host, struct sample_restored *restored)
{
    if (!restored->program)
        return;
    sample_program_destroy(restored->program);
    if (restored->memory)
        hy_quota_free(restored->memory);
    else
        host->cache_release(host->context, &restored->by_host);
    *restored = (struct sample_restored){0};
}

/* ---- Descriptors that are kept open ---------------------------------------------------------- */

static bool can_keep(const struct hy_host *host)
{
    return HY_HAS(host, cache_keep_open) && HY_HAS(host, cache_lock) && HY_HAS(host, cache_unlock);
}

/* The caller closes its own after prepare: ours are duplicates. */
static bool duplicate(const int32_t *from, uint32_t count, int32_t *to)
{
    bool done = true;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 0);
        done = to[i] >= 0 && done;
    }
    return done;
}

void sample_kept_open(const struct hy_host *host, const struct hy_cache_files *files,
                      struct sample_kept *kept)
{
    if (!can_keep(host))
        return;
    const bool has_model = duplicate(files->model, files->model_count, kept->model);
    const bool has_data = duplicate(files->data, files->data_count, kept->data);
    kept->is_open = true;
    kept->data_count = files->data_count;
    memcpy(kept->token, files->token, sizeof kept->token);
    if (!has_model || !has_data ||
        host->cache_keep_open(host->context, files->token) != HY_STATUS_OK)
        sample_kept_close(kept);
}

static void close_all(const int32_t *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void sample_kept_close(struct sample_kept *kept)
{
    if (!kept->is_open)
        return;
    close_all(kept->model, SAMPLE_MODEL_FILES);
    close_all(kept->data, kept->data_count);
    *kept = (struct sample_kept){0};
}

/* The lock is that of the first model file, for all. */
void sample_kept_write(const struct hy_host *host, const struct sample_kept *kept,
                       const struct sample_program *program)
{
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = SAMPLE_MODEL_FILES,
                                         .data_count = kept->data_count,
                                         .token = kept->token,
                                         .model = kept->model,
                                         .data = kept->data};
    if (!kept->is_open ||
        host->cache_lock(host->context, kept->model[0], 1, hy_boottime() + LOCK_NS) != HY_STATUS_OK)
        return;
    sample_cache_save(host, &files, program);
    host->cache_unlock(host->context, kept->model[0]);
}

int32_t sample_kept_restore(const struct hy_host *host, const struct hy_cache_files *files,
                            int64_t deadline, struct sample_restored *restored)
{
    if (!can_keep(host))
        return HY_STATUS_GENERAL_FAILURE;
    int32_t status = host->cache_lock(host->context, files->model[0], 0, deadline);
    if (status != HY_STATUS_OK)
        return status;
    status = sample_cache_restore(host, files, restored);
    host->cache_unlock(host->context, files->model[0]);
    return status;
}
