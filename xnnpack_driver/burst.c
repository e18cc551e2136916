#include "burst.h"

#include "driver_kit/quota_memory.h"
#include "prepared.h"

/* What a burst keeps is where memory lies: a run whose addresses are those of the run before finds
 * its operators bound (instance.c). Instances are kept by the prepared model. */
struct burst {
    void *prepared;
    struct hy_pool_map pools;
};

int32_t xd_burst_open(void *prepared, void **ret)
{
    const struct hy_host *host = xd_prepared_host(prepared);
    struct burst *burst = hy_quota_zeros(host, 1, sizeof *burst);
    if (!burst)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    burst->prepared = prepared;
    hy_pool_map_init(&burst->pools, host);
    *ret = burst;
    return HY_STATUS_OK;
}

int32_t xd_burst_execute(void *self, const struct hy_request *request,
                         const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *burst = self;
    return xd_execute_in(burst->prepared, &burst->pools, request, options, result);
}

/* From any thread, also while burst_execute uses other memory. */
void xd_burst_release(void *self, uint64_t pool_id)
{
    struct burst *burst = self;
    hy_pool_map_release(&burst->pools, pool_id);
}

void xd_burst_close(void *burst)
{
    hy_quota_free(burst);
}
