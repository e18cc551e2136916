#include "tools/check_driver/host_quota.h"

#include <stdatomic.h>
#include <stdint.h>

static atomic_uint asked, refused, refuse_at;
static atomic_long held;

static int32_t memory_reserve(void *context, uint64_t bytes, void **reservation)
{
    static atomic_uint_fast64_t last;

    (void)context;
    (void)bytes;
    if (atomic_fetch_add(&asked, 1) + 1 == atomic_load(&refuse_at)) {
        atomic_fetch_add(&refused, 1);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    atomic_fetch_add(&held, 1);
    *reservation = (void *)(uintptr_t)(atomic_fetch_add(&last, 1) + 1);
    return HY_STATUS_OK;
}

static void memory_release(void *context, void *reservation)
{
    (void)context;
    (void)reservation;
    atomic_fetch_sub(&held, 1);
}

void hy_host_quota_add(struct hy_host *host)
{
    host->memory_reserve = memory_reserve;
    host->memory_release = memory_release;
}

void hy_host_quota_refuse(unsigned number)
{
    atomic_store(&refuse_at, number == 0 ? 0 : atomic_load(&asked) + number);
}

struct hy_host_quota_counts hy_host_quota_counts(void)
{
    return (struct hy_host_quota_counts){atomic_load(&asked), atomic_load(&refused),
                                         atomic_load(&held)};
}
