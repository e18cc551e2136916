#include "tuning_host.h"

#include <stdlib.h>

static void *run_thread(void *context)
{
    struct hy_tuning_host *self = context;

    self->task(self->argument);
    return NULL;
}

static int32_t later(void *context, void (*task)(void *argument), void *argument)
{
    struct hy_tuning_host *self = context;

    self->asked++;
    if (self->post_task_status != HY_STATUS_OK)
        return self->post_task_status;
    self->task = task;
    self->argument = argument;
    if (self->is_threaded && pthread_create(&self->thread, NULL, run_thread, self) != 0)
        abort();
    return HY_STATUS_OK;
}

static int32_t begin(void *context, const uint8_t *token, int32_t *model, int32_t *data,
                     void **update)
{
    struct hy_tuning_host *self = context;

    (void)token;
    if (self->begin_status != HY_STATUS_OK)
        return self->begin_status;
    self->begun++;
    *model = *data = -1;
    *update = self;
    return HY_STATUS_OK;
}

static int32_t commit(void *context, void *update, uint32_t keep)
{
    struct hy_tuning_host *self = context;

    if (update != self)
        return HY_STATUS_INVALID_ARGUMENT;
    if (keep)
        self->published++;
    else
        self->dropped++;
    return HY_STATUS_OK;
}

void hy_tuning_host_init(struct hy_tuning_host *host)
{
    *host = (struct hy_tuning_host){0};
    hy_cache_host_init(&host->cache);
    host->cache.host.later = later;
    host->cache.host.cache_begin = begin;
    host->cache.host.cache_commit = commit;
}

void hy_tuning_host_run(struct hy_tuning_host *host)
{
    if (!host->task)
        return;
    if (host->is_threaded)
        pthread_join(host->thread, NULL);
    else
        host->task(host->argument);
    host->task = NULL;
}
