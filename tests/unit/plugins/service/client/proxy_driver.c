/*
 * A driver that is the client of another one in a process of its own: what a library is asked for
 * can then be asked of the client. DRIVER_PATH is that library; arguments are passed on.
 */
#include "plugins/service/client/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    static struct hy_service_settings settings = {.hang_timeout_seconds = 60};
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

static const struct hy_device *own; /* the table of all devices of a service */

/* Built-in devices get names that a driver may have. */
static int32_t describe(void *self, struct hy_device_info *info)
{
    const int32_t status = own->describe(self, info);
    if (status == HY_STATUS_OK && strcmp(info->name, "halyard-cpu") == 0)
        info->name = "proxy-cpu";
    else if (status == HY_STATUS_OK && strcmp(info->name, "nnapi-reference") == 0)
        info->name = "proxy-reference";
    return status;
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **self)
{
    static struct hy_device renamed;
    const int32_t status = hy_service_driver()->device(instance, index, &own, self);

    if (status != HY_STATUS_OK)
        return status;
    renamed = *own;
    renamed.describe = describe;
    *table = &renamed;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct hy_driver driver;

    driver = *hy_service_driver();
    driver.name = "proxy";
    driver.create = create;
    driver.device = device;
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
