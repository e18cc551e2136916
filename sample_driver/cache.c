#include "cache.h"

#include "artefact.h"
#include "driver_kit/quota_memory.h"

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
