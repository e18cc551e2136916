/* The CPU backend as a plugin, which keeps the figures of each model that it prepares: a driver
 * sees a model the way the backend gets it, and no API gives these figures to apps. */
#include "bench/arena_probe.h"

#include <stdlib.h>

#include "cpu_fallback/cpu_device.h"

static struct hy_cpu_stats newest;
static struct hy_device table; /* the backend's own, but for `prepare` */

struct hy_cpu_stats arena_probe_stats(void)
{
    return newest;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    const int32_t status = hy_cpu_device_table.prepare(device, model, options, prepared);
    if (status == HY_STATUS_OK)
        newest = hy_cpu_prepared_stats(*prepared);
    return status;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct hy_cpu_device *device = malloc(sizeof *device);
    (void)arguments;
    (void)message;
    if (!device)
        return HY_STATUS_GENERAL_FAILURE;
    hy_cpu_device_init(device, ARENA_PROBE_DEVICE, host, hy_kernels_fast(), 1, 1.0f);
    table = hy_cpu_device_table;
    table.prepare = prepare;
    *instance = device;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return 1;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **out_table,
                          void **out)
{
    if (index > 0)
        return HY_STATUS_INVALID_ARGUMENT;
    *out_table = &table;
    *out = instance;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = ARENA_PROBE_DEVICE,
        .create = create,
        .destroy = free,
        .device_count = device_count,
        .device = get_device,
    };
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
