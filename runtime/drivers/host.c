#include "host.h"

#include "runtime/drivers/background.h"
#include "runtime/drivers/host_cache.h"
#include "runtime/log.h"
#include "runtime/memory/memory_quota.h"
#include "runtime/threads/worker_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Functions without a driver -------------------------------------------------------------- */

static void log_line(void *context, int32_t level, const char *text)
{
    (void)context;
    hy_log_driver(level, "", text ? text : "(null)");
}

/*
 * Memory in this process is mapped at its creation (runtime/memory) or belongs to the app, so this
 * is a look-up without a system call.
 */
int32_t hy_runtime_map(const struct hy_pool *pool, uint32_t protection, void **address)
{
    if (!pool || !address || (protection & ~pool->protection) != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    if (pool->kind < HY_POOL_HOST || pool->kind > HY_POOL_HARDWARE_BUFFER || !pool->address)
        return HY_STATUS_GENERAL_FAILURE;
    *address = pool->address;
    return HY_STATUS_OK;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    return hy_runtime_map(pool, protection, address);
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
    hy_worker_pool_parallel_for(count, task, argument);
}

static void keep_awake(void *context, uint64_t duration)
{
    (void)context;
    hy_worker_pool_keep_awake(duration);
}

static int32_t later(void *context, void (*task)(void *argument), void *argument)
{
    struct hy_runtime_host *host = context; /* NULL: context of `common`, which never ends */

    return hy_background_add(host ? &host->tasks : NULL, task, argument)
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

static const struct hy_host common = {
    .struct_size = sizeof common,
    .abi = HY_DRIVER_ABI,
    .log = log_line,
    .map = map,
    .worker_count = worker_count,
    .parallel = parallel,
    .later = later,
    .memory_reserve = hy_memory_quota_reserve,
    .memory_release = hy_memory_quota_give_back,
    .keep_awake = keep_awake,
};

/* ---- Hosts of drivers ------------------------------------------------------------------------ */

static struct hy_runtime_host *host_of(const struct hy_host *face)
{
    return face->context;
}

/* Logs a line of a driver. The driver has a name once its devices are known. */
static void log_named(void *context, int32_t level, const char *text)
{
    const struct hy_runtime_host *host = context;
    const bool is_known = atomic_load_explicit(&host->is_known, memory_order_acquire);
    hy_log_driver(level, is_known ? host->driver : "", text ? text : "(null)");
}

static const struct hy_host *create_for(uint32_t user)
{
    struct hy_runtime_host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;

    host->face = common;
    host->face.context = host;
    host->face.log = log_named;
    host->user = user;
    hy_host_fill_cache(&host->face);
    return &host->face;
}

static const struct hy_host *create(void)
{
    return create_for((uint32_t)geteuid());
}

/* Appends to a text. NULL: out of memory; the old text is freed. */
static char *extend(char *old, const struct hy_device_info *info)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s%s %s %s", old ? old : "", old ? ", " : "", info->name, info->version,
                 info->build_id ? info->build_id : "") < 0)
        text = NULL;
    free(old);
    return text;
}

static void clear_names(struct hy_runtime_host *host)
{
    free(host->driver);
    free(host->build);
    host->driver = host->build = NULL;
}

/* Without memory the note starts over, like its caller. */
static bool note_device(const struct hy_host *face, const char *driver,
                        const struct hy_device_info *info)
{
    struct hy_runtime_host *host = host_of(face);

    if (atomic_load_explicit(&host->is_known, memory_order_relaxed))
        return true;
    if (!host->driver && asprintf(&host->driver, "%s/%s", driver, info->name) < 0)
        host->driver = NULL;
    host->build = extend(host->build, info);
    if (!host->driver || !host->build)
        clear_names(host);
    return host->driver != NULL;
}

static void complete(const struct hy_host *face)
{
    struct hy_runtime_host *host = host_of(face);

    atomic_store_explicit(&host->is_known, host->driver && host->build, memory_order_release);
}

static void end_tasks(const struct hy_host *face)
{
    hy_background_end(&host_of(face)->tasks);
}

static void destroy(const struct hy_host *face)
{
    if (!face)
        return;
    struct hy_runtime_host *host = host_of(face);
    clear_names(host);
    free(host);
}

const struct hy_plugin_hosts *hy_runtime_hosts(void)
{
    static const struct hy_plugin_hosts hosts = {
        .common = &common,
        .create = create,
        .create_for = create_for,
        .note_device = note_device,
        .complete = complete,
        .end_tasks = end_tasks,
        .destroy = destroy,
    };
    return &hosts;
}
