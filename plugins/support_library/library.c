#include "plugins/support_library/library.h"

#include "plugins/plugin.h"
#include "plugins/support_library/arguments.h"
#include "plugins/support_library/load.h"
#include "plugins/support_library/result.h"
#include "plugins/support_library/sl_device_table.h"
#include "plugins/support_library/sl_plugin_device.h"

#include <stdlib.h>

struct library {
    NnApiSLDriverImplFL8 table;
    struct hy_sl_device *devices;
    uint32_t device_count;
};

static void destroy(void *instance)
{
    struct library *library = instance;

    for (uint32_t i = 0; i < library->device_count; i++)
        hy_sl_device_finish(&library->devices[i]);
    free(library->devices);
    free(library);
}

static uint32_t device_count(void *instance)
{
    const struct library *library = instance;
    return library->device_count;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **table,
                          void **device)
{
    struct library *library = instance;

    if (index >= library->device_count)
        return HY_STATUS_INVALID_ARGUMENT;
    *table = hy_sl_device_table();
    *device = &library->devices[index];
    return HY_STATUS_OK;
}

const struct hy_driver *hy_sl_driver(void)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "nnapi-sl",
        .destroy = destroy,
        .device_count = device_count,
        .device = get_device,
    };
    return &driver;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static enum hy_code count_devices(const struct library *library,
                                  const struct hy_opening_watch *watch, uint32_t *ret,
                                  struct hy_error *err)
{
    uint32_t count = 0;

    hy_opening_watch_enter(watch, "ANeuralNetworks_getDeviceCount");
    enum hy_code code = hy_sl_result(library->table.base.ANeuralNetworks_getDeviceCount(&count),
                                     "getDeviceCount", err);
    if (code != HY_OK)
        return code;
    if (count < 1 || count > HY_MAX_DEVICES)
        return hy_fail(err, HY_BAD_DATA, "getDeviceCount returned %u, needs 1 to %u", count,
                       HY_MAX_DEVICES);
    *ret = count;
    return HY_OK;
}

static enum hy_code open_devices(struct library *library, const char *prefix,
                                 const struct hy_host *host, const struct hy_opening_watch *watch,
                                 struct hy_error *err)
{
    uint32_t count = 0;
    enum hy_code code = count_devices(library, watch, &count, err);
    if (code != HY_OK)
        return code;
    library->devices = calloc(count, sizeof *library->devices);
    if (!library->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u devices", count);

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        ANeuralNetworksDevice *handle = NULL;
        hy_opening_watch_enter(watch, "ANeuralNetworks_getDevice");
        int result = library->table.base.ANeuralNetworks_getDevice(i, &handle);
        code = hy_sl_result_made(result, handle, "getDevice", err);
        if (code == HY_OK) {
            hy_opening_watch_enter(watch, "ANeuralNetworksDevice_get...");
            code =
                hy_sl_device_init(&library->devices[i], &library->table, handle, prefix, host, err);
        }
        if (code != HY_OK)
            return hy_error_prefix(err, code, "device %u", i);
        library->device_count++;
    }
    return code;
}

static enum hy_code open_library(struct library *library, const char *path, const char *prefix,
                                 const struct hy_host *host, const struct hy_opening_watch *watch,
                                 struct hy_error *err)
{
    const NnApiSLDriverImpl *given = NULL;

    enum hy_code code = hy_sl_load(path, watch, &given, err);
    if (code == HY_OK)
        code = hy_sl_table_copy(given, &library->table, err);
    if (code == HY_OK)
        code = open_devices(library, prefix, host, watch, err);
    return code;
}

enum hy_code hy_sl_library_open(const char *path, const char *arguments, const struct hy_host *host,
                                const struct hy_opening_watch *watch, void **instance,
                                struct hy_error *err)
{
    char prefix[HY_SL_PREFIX_SIZE];
    enum hy_code code = hy_sl_arguments_read(arguments, prefix, err);
    if (code != HY_OK)
        return code;

    struct library *library = calloc(1, sizeof *library);
    if (!library)
        return hy_fail(err, HY_OUT_OF_MEMORY, "support library %s", path);
    code = open_library(library, path, prefix, host, watch, err);
    if (code != HY_OK) {
        destroy(library);
        return code;
    }
    *instance = library;
    return HY_OK;
}
