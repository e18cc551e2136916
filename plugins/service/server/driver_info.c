/* Queries about the open driver for the rest of the server. */
#include "plugins/service/server/parts.h"

const char *hy_server_driver_name(const struct hy_server_driver *driver)
{
    return driver->plugin ? hy_plugin_name(driver->plugin) : driver->serve->built_in->name;
}

uint32_t hy_server_driver_abi(const struct hy_server_driver *driver)
{
    return driver->plugin ? hy_plugin_abi(driver->plugin) : driver->serve->built_in->abi;
}

bool hy_server_driver_asks(const struct hy_server_driver *driver)
{
    return driver->what.manifest_kind != HY_MANIFEST_NNAPI_SL &&
           hy_server_driver_abi(driver) >= HY_ABI(1, 1);
}

bool hy_server_supports_images(const struct hy_server_driver *driver, const struct hy_device *table)
{
    for (uint32_t i = 0; i < driver->device_count; i++) {
        if (&driver->devices[i].table == table)
            return driver->devices[i].info.pool_kinds >> HY_POOL_HARDWARE_BUFFER & 1;
    }
    return false;
}
