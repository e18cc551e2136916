#include "burst.h"

#include "driver_kit/quota_memory.h"
#include "prepared.h"

/* What a burst keeps is where memory lies. Working memory is kept by the program (run.c), and there
 * is no clock to raise: a driver for hardware would do so when a burst executes, and let it fall
 * again when 1 ms has passed without an execution. */
struct burst {
    void *prepared;
    struct hy_pool_map pools;
};

int32_t sample_burst_open(void *prepared, void **ret)
{
    const struct hy_host *host = sample_prepared_host(prepared);
    struct burst *burst = hy_quota_zeros(host, 1, sizeof *burst);
    if (!burst)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    burst->prepared = prepared;
    hy_pool_map_init(&burst->pools, host);
    *ret = burst;
    return HY_STATUS_OK;
}

int32_t sample_burst_execute(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *burst = self;
    return sample_execute_in(burst->prepared, &burst->pools, request, options, result);
}

/* From any thread, also while burst_execute uses other memory. */
void sample_burst_release(void *self, uint64_t pool_id)
{
    struct burst *burst = self;
    hy_pool_map_release(&burst->pools, pool_id);
}

void sample_burst_close(void *burst)
{
    hy_quota_free(burst);
}
