#include "cpu_fallback/cpu_driver.h"

#include <stdlib.h>

#include "common/status.h"
#include "cpu_fallback/allowed_isa_levels.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/kernels/tile_permission.h"

/* Approximate factor between scalar and fast kernels, on convolutional networks. */
#define REFERENCE_SLOWNESS 10.0f

enum { FAST, REFERENCE, DEVICE_COUNT };

struct instance {
    struct hy_cpu_device devices[DEVICE_COUNT];
};

static enum hy_code check_host(const struct hy_host *host, struct hy_error *err)
{
    if (!host || HY_ABI_MAJOR(host->abi) != HY_ABI_MAJOR(HY_DRIVER_ABI))
        return hy_fail(err, HY_BAD_DATA, "the host has ABI %#x, needs %#x", host ? host->abi : 0,
                       HY_DRIVER_ABI);
    if (!HY_HAS(host, log) || !HY_HAS(host, map) || !HY_HAS(host, worker_count) ||
        !HY_HAS(host, parallel))
        return hy_fail(err, HY_BAD_DATA, "the host lacks log, map, worker_count or parallel");
    return HY_OK;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct hy_error err;
    struct instance *made = NULL;

    enum hy_code code = check_host(host, &err);
    if (code == HY_OK) {
        made = calloc(1, sizeof *made);
        if (!made)
            code = hy_fail(&err, HY_OUT_OF_MEMORY, "no memory for the CPU driver");
    }
    if (code == HY_OK) {
        uint32_t threads = host->worker_count(host->context);
        hy_cpu_device_init(&made->devices[FAST], "halyard-cpu", host,
                           hy_kernels_within(hy_cpu_allowed_isa_levels(arguments, host)),
                           threads ? threads : 1, 1.0f);
        made->devices[FAST].is_caching = true;
        made->devices[FAST].is_tuning = true;
        hy_cpu_device_init(&made->devices[REFERENCE], "nnapi-reference", host,
                           hy_kernels_reference(), 1, REFERENCE_SLOWNESS);
        *instance = made;
    }
    return hy_status_report(code, &err, message);
}

static void destroy(void *instance)
{
    struct instance *self = instance;

    for (uint32_t i = 0; self && i < DEVICE_COUNT; i++)
        hy_token_table_finish(&self->devices[i].buffers.tokens);
    free(self);
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return DEVICE_COUNT;
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **out)
{
    struct instance *self = instance;

    if (index >= DEVICE_COUNT)
        return HY_STATUS_INVALID_ARGUMENT;
    *table = index == FAST ? &hy_cpu_device_table_with_buffers : &hy_cpu_device_table;
    *out = &self->devices[index];
    return HY_STATUS_OK;
}

const char *hy_cpu_device_note(const void *device)
{
    const struct hy_cpu_device *self = device;
    const struct hy_kernel_table *amx = hy_kernels_at(HY_KERNEL_AMX);

    if (self->kernels == hy_kernels_reference())
        return "";
    if (amx && self->kernels != amx)
        return "no AMX: HALYARD_CPU_FEATURES excludes AMX";
    const char *refusal = hy_tiles_refusal();
    return refusal ? refusal : "";
}

const struct hy_driver *hy_cpu_driver(void)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "halyard-cpu",
        .create = create,
        .destroy = destroy,
        .device_count = device_count,
        .device = device,
    };

    return &driver;
}
