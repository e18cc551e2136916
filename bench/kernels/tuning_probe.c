/* The CPU backend as a plugin whose devices differ in how they cut the work of an operation. */
#include "bench/kernels/tuning_probe.h"

#include <stdlib.h>

#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_prepared.h"
#include "cpu_fallback/program/plan.h"

struct instance {
    struct hy_cpu_device devices[TUNING_DEVICES];
};

static const struct hy_cpu_prepared *newest;
static struct hy_device table; /* the backend's own, but for `prepare` */

int32_t tuning_probe_state(void)
{
    if (!newest || !newest->tuning)
        return TUNING_NOTHING;
    return hy_cpu_plan_newest(newest->declared) != newest->declared ? TUNING_DONE : TUNING_PENDING;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    const int32_t status = hy_cpu_device_table.prepare(device, model, options, prepared);
    if (status == HY_STATUS_OK && ((const struct hy_cpu_device *)device)->is_tuning)
        newest = *prepared;
    return status;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct instance *made = malloc(sizeof *made);
    (void)arguments;
    (void)message;
    if (!made)
        return HY_STATUS_GENERAL_FAILURE;
    for (uint32_t i = 0; i < TUNING_DEVICES; i++) {
        struct hy_cpu_device *device = &made->devices[i];
        const uint32_t threads = i < TUNING_WAY_COUNT ? 1 : host->worker_count(host->context);
        hy_cpu_device_init(device, tuning_device_names[i], host, hy_kernels_fast(), threads, 1.0f);
        if (i % TUNING_WAY_COUNT == TUNING_TILES)
            device->l2_bytes = UINT64_MAX;
        device->is_tuning = i % TUNING_WAY_COUNT == TUNING_MEASURED;
    }
    table = hy_cpu_device_table;
    table.prepare = prepare;
    *instance = made;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return TUNING_DEVICES;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **out_table,
                          void **out)
{
    struct instance *self = instance;
    if (index >= TUNING_DEVICES)
        return HY_STATUS_INVALID_ARGUMENT;
    *out_table = &table;
    *out = &self->devices[index];
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "tuning-probe",
        .create = create,
        .destroy = free,
        .device_count = device_count,
        .device = get_device,
    };
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
