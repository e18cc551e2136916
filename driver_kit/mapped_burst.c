#include "driver_kit/mapped_burst.h"

#include "driver_kit/quota_memory.h"

struct burst {
    hy_execute_mapped_fn *execute;
    void *prepared;
    struct hy_pool_map pools;
};

int32_t hy_mapped_burst_open(hy_execute_mapped_fn *execute, const struct hy_host *host,
                             void *prepared, void **burst)
{
    struct burst *made = hy_quota_zeros(host, 1, sizeof *made);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->execute = execute;
    made->prepared = prepared;
    hy_pool_map_init(&made->pools, host);
    *burst = made;
    return HY_STATUS_OK;
}

int32_t hy_mapped_burst_execute(void *self, const struct hy_request *request,
                                const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *burst = self;
    return burst->execute(burst->prepared, &burst->pools, request, options, result);
}

void hy_mapped_burst_release(void *self, uint64_t pool_id)
{
    struct burst *burst = self;
    hy_pool_map_release(&burst->pools, pool_id);
}

void hy_mapped_burst_close(void *burst)
{
    hy_quota_free(burst);
}
