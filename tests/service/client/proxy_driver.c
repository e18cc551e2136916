/*
 * A driver that is the client of another one in a process of its own: what a library is asked for
 * can then be asked of the client. DRIVER_PATH is that library; arguments are passed on.
 */
#include "plugins/service/client/service.h"

#include <stdio.h>
#include <stdlib.h>

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    static struct hy_service_settings settings = {.patience_seconds = 60};
    const struct hy_service_launch launch = {.library = DRIVER_PATH, .arguments = arguments};
    struct hy_service *service = NULL;
    struct hy_error err;

    settings.program = getenv("HALYARD_DRIVERD");
    if (settings.program && hy_service_open(&launch, &settings, host, &service, &err) == HY_OK) {
        *instance = service;
        return HY_STATUS_OK;
    }
    if (message->text && message->size > 0)
        snprintf(message->text, message->size, "%s",
                 settings.program ? err.text : "HALYARD_DRIVERD is not set");
    return HY_STATUS_GENERAL_FAILURE;
}

static void destroy(void *instance)
{
    hy_service_driver()->destroy(instance);
}

static uint32_t device_count(void *instance)
{
    return hy_service_driver()->device_count(instance);
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **ret)
{
    return hy_service_driver()->device(instance, index, table, ret);
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "proxy",
        .create = create,
        .destroy = destroy,
        .device_count = device_count,
        .device = device,
    };
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
