#include "quota_host.h"

#include <stddef.h>

/* A reservation is its own size. */
static int32_t reserve(void *context, uint64_t bytes, void **reservation)
{
    struct hy_quota_host *self = context;

    if (++self->asked == self->refuse_at || bytes > self->most - self->reserved) {
        self->refused++;
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    self->reserved += bytes;
    self->held++;
    *reservation = (void *)(uintptr_t)bytes;
    return HY_STATUS_OK;
}

static void release(void *context, void *reservation)
{
    struct hy_quota_host *self = context;

    self->reserved -= (uintptr_t)reservation;
    self->held--;
}

void hy_quota_host_init(struct hy_quota_host *host)
{
    *host = (struct hy_quota_host){.most = UINT64_MAX};
    hy_cache_host_init(&host->cache);
    host->cache.memory = HY_CACHE_HEAP;
    host->cache.host.struct_size = sizeof host->cache.host;
    host->cache.host.memory_reserve = reserve;
    host->cache.host.memory_release = release;
}

void hy_quota_host_finish(struct hy_quota_host *host)
{
    hy_cache_host_finish(&host->cache);
}
