/* Cache files by cache_save and cache_restore, renewed once by a task of later. */
#include "frozen.h"

#include <stdlib.h>
#include <time.h>

#define LOCK_NS INT64_C(10000000000)

static int64_t soon(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec + LOCK_NS;
}

static bool save(const struct hy_host *host, const struct program *program, const float *constants,
                 const uint8_t *token, const int32_t *model, const int32_t *data)
{
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = 1,
                                         .data_count = 1,
                                         .token = token,
                                         .model = model,
                                         .data = data};
    const struct hy_bytes steps = {program, sizeof *program};
    const struct hy_bytes numbers = {constants, program->constant_floats * sizeof(float)};
    return host->cache_save(host->context, &files, &steps, &numbers) == HY_STATUS_OK;
}

static bool has_files(const struct hy_host *host, const struct hy_prepare_options *options)
{
    return options->model_cache_count == 1 && options->data_cache_count == 1 && options->token &&
           HY_HAS(host, cache_save) && HY_HAS(host, cache_restore) && HY_HAS(host, cache_release);
}

/* Nobody else writes to these files, so that the lock is free; it is taken to be used. */
void frozen_cache_save(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->device->host;
    if (!has_files(host, options))
        return;
    const bool is_locked =
        HY_HAS(host, cache_lock) && HY_HAS(host, cache_unlock) &&
        host->cache_lock(host->context, options->model_cache[0], 1, soon()) == HY_STATUS_OK;
    (void)save(host, &prepared->program, prepared->constants, options->token, options->model_cache,
               options->data_cache);
    if (is_locked)
        host->cache_unlock(host->context, options->model_cache[0]);
}

/* ---- Later ----------------------------------------------------------------------------------- */

/* All that the task needs, so that the prepared model may go before it. */
struct renewal {
    struct device *device;
    uint8_t token[HY_TOKEN_SIZE];
    struct program program;
    float constants[];
};

static void renew(void *argument)
{
    struct renewal *renewal = argument;
    const struct hy_host *host = renewal->device->host;
    int32_t model = -1, data = -1;
    void *update = NULL;
    if (host->cache_begin(host->context, renewal->token, &model, &data, &update) == HY_STATUS_OK) {
        const bool is_saved =
            save(host, &renewal->program, renewal->constants, renewal->token, &model, &data);
        (void)host->cache_commit(host->context, update, is_saved);
    }
    atomic_fetch_add(&renewal->device->tasks, 1);
    free(renewal);
}

void frozen_cache_renew_later(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->device->host;
    const size_t bytes = prepared->program.constant_floats * sizeof(float);
    if (!has_files(host, options) || !HY_HAS(host, later) || !HY_HAS(host, cache_begin) ||
        !HY_HAS(host, cache_commit))
        return;
    struct renewal *renewal = malloc(sizeof *renewal + bytes);
    if (!renewal)
        return;
    renewal->device = prepared->device;
    memcpy(renewal->token, options->token, sizeof renewal->token);
    renewal->program = prepared->program;
    memcpy(renewal->constants, prepared->constants, bytes);
    if (host->later(host->context, renew, renewal) != HY_STATUS_OK)
        free(renewal);
}

/* ---- From the cache -------------------------------------------------------------------------- */

static bool restore(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->device->host;
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = 1,
                                         .data_count = 1,
                                         .token = options->token,
                                         .model = options->model_cache,
                                         .data = options->data_cache};
    prepared->restored = (struct hy_restored){.struct_size = sizeof prepared->restored};
    if (host->cache_restore(host->context, &files, &prepared->restored) != HY_STATUS_OK)
        return false;
    prepared->has_restored = true;
    const struct hy_bytes *steps = &prepared->restored.model[0],
                          *numbers = &prepared->restored.data[0];
    if (steps->length != sizeof prepared->program)
        return false;
    memcpy(&prepared->program, steps->data, sizeof prepared->program);
    prepared->constants = numbers->data;
    return frozen_program_is_sound(&prepared->program, numbers->length);
}

int32_t frozen_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **out)
{
    struct device *self = device;
    if (!HY_REACHES(options, message) || !has_files(self->host, options))
        return HY_STATUS_GENERAL_FAILURE;
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    prepared->device = self;
    if (!restore(prepared, options)) {
        frozen_prepared_destroy(prepared);
        return HY_STATUS_GENERAL_FAILURE;
    }
    *out = prepared;
    return HY_STATUS_OK;
}

void frozen_prepared_destroy(void *self)
{
    struct prepared *prepared = self;
    const struct hy_host *host = prepared->device->host;
    if (prepared->has_restored)
        host->cache_release(host->context, &prepared->restored);
    free(prepared->own_constants);
    free(prepared);
}
