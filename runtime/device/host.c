#include "host.h"

#include "runtime/execute/worker_pool.h"
#include "runtime/log.h"

static void log_line(void *context, int32_t level, const char *text)
{
    (void)context;
    hy_log(level, "driver", "%s", text ? text : "(null)");
}

/*
 * All memory in this process is mapped when it is created (runtime/memory) or is the app's own, so
 * this is a look-up and never a system call.
 */
static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    if (!pool || !address || (protection & ~pool->protection) != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    if (pool->kind < HY_POOL_HOST || pool->kind > HY_POOL_HARDWARE_BUFFER_BLOB || !pool->address)
        return HY_STATUS_GENERAL_FAILURE;
    *address = pool->address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return hy_worker_pool_width();
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    hy_worker_pool_share(count, task, argument);
}

const struct hy_host *hy_runtime_host(void)
{
    static const struct hy_host host = {
        .struct_size = sizeof host,
        .abi = HY_DRIVER_ABI,
        .log = log_line,
        .map = map,
        .worker_count = worker_count,
        .parallel = parallel,
    };
    return &host;
}
