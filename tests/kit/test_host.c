#include "tests/kit/test_host.h"

#include <stdatomic.h>

static atomic_uint parallel_calls;

static void host_log(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

static int32_t host_map(void *context, const struct hy_pool *pool, uint32_t protection,
                        void **address)
{
    (void)context;
    if (pool->kind != HY_POOL_HOST || (pool->protection & protection) != protection)
        return HY_STATUS_INVALID_ARGUMENT;
    *address = pool->address;
    return HY_STATUS_OK;
}

static uint32_t host_worker_count(void *context)
{
    (void)context;
    return 3;
}

static void host_parallel(void *context, uint32_t count,
                          void (*task)(void *argument, uint32_t index), void *argument)
{
    (void)context;
    atomic_fetch_add(&parallel_calls, 1);
    while (count-- > 0)
        task(argument, count);
}

const struct hy_host *hy_test_host(void)
{
    static const struct hy_host host = {
        .struct_size = sizeof host,
        .abi = HY_DRIVER_ABI,
        .log = host_log,
        .map = host_map,
        .worker_count = host_worker_count,
        .parallel = host_parallel,
    };

    return &host;
}

uint32_t hy_test_host_parallel_calls(void)
{
    return atomic_load(&parallel_calls);
}
