/* Bursts: this device has nothing to keep between executions but the prepared model. */
#include "frozen.h"

#include <stdlib.h>

struct burst {
    void *prepared;
    atomic_uint released;
};

int32_t frozen_burst_open(void *prepared, void **out)
{
    struct burst *burst = calloc(1, sizeof *burst);
    if (!burst)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    burst->prepared = prepared;
    *out = burst;
    return HY_STATUS_OK;
}

int32_t frozen_burst_execute(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *burst = self;
    return frozen_execute(burst->prepared, request, options, result);
}

void frozen_burst_release(void *self, uint64_t pool_id)
{
    struct burst *burst = self;
    (void)pool_id;
    atomic_fetch_add(&burst->released, 1);
}

void frozen_burst_close(void *self)
{
    free(self);
}
