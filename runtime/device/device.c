#include "device.h"

#include "common/error.h"
#include "cpu_fallback/cpu_driver.h"
#include "halyard/halyard.h"
#include "host.h"
#include "plugins/plugins.h"
#include "runtime/environment.h"
#include "runtime/extension/extension.h"
#include "runtime/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_DEVICE_COUNT = 2 };

static struct hy_device_list list;

/* What the list points to when there is no memory for anything else. */
static struct hy_runtime_device cpu_only[CPU_DEVICE_COUNT];
static struct hy_device_work cpu_only_work[CPU_DEVICE_COUNT];

static void add_cpu_device(struct hy_runtime_device *device, void *instance, uint32_t index)
{
    const struct hy_driver *driver = hy_cpu_driver();
    device->kind = HALYARD_DEVICE_BUILT_IN;
    device->abi = driver->abi;
    device->manifest = "";
    device->library = "";
    device->info.struct_size = sizeof device->info;
    device->capabilities.struct_size = sizeof device->capabilities;

    /* Ours, with constant answers: if this fails the library itself is broken, and the device stays
     * listed without a table, which the planner takes for "supports nothing". */
    if (driver->device(instance, index, &device->table, &device->self) != HY_STATUS_OK ||
        device->table->describe(device->self, &device->info) != HY_STATUS_OK ||
        device->table->capabilities(device->self, &device->capabilities) != HY_STATUS_OK)
        hy_log(HY_LOG_ERROR, "device", "the built-in CPU device %u cannot be described", index);
}

static void add_plugin_device(struct hy_runtime_device *device, const struct hy_plugin_device *from)
{
    device->kind = HALYARD_DEVICE_IN_PROCESS;
    device->abi = from->abi;
    device->table = from->table;
    device->self = from->device;
    device->info = *from->info;
    device->capabilities = *from->capabilities;
    device->manifest = from->manifest;
    device->library = from->library;
}

/* NULL: none could be opened. */
static struct hy_plugins *open_plugins(void)
{
    static const char *const reserved[] = {"halyard-cpu", "nnapi-reference", NULL};
    const struct hy_environment *environment = hy_environment();
    const struct hy_discovery_environment folders_from = {
        .xdg_config_home = environment->xdg_config_home,
        .xdg_data_home = environment->xdg_data_home,
        .home = environment->home,
    };
    struct hy_error err;
    char **folders = NULL;
    struct hy_plugins *plugins = NULL;

    enum hy_code code = hy_discovery_folders_create(&folders_from, &folders, &err);
    if (code == HY_OK) {
        const struct hy_discovery discovery = {
            .folders = (const char *const *)folders,
            .driver_files = environment->driver_files,
            .add_driver_files = environment->add_driver_files,
            .select = environment->drivers_select,
            .disable = environment->drivers_disable,
            .plugin_folder = HALYARD_PLUGIN_FOLDER,
            .reserved_names = reserved,
        };
        code = hy_plugins_open(&discovery, hy_runtime_host(), &plugins, &err);
    }
    hy_discovery_folders_destroy(folders);
    if (code != HY_OK)
        hy_log(HY_LOG_ERROR, "device", "no drivers: %s", err.text);
    return plugins;
}

static void list_refusals(const struct hy_plugins *plugins)
{
    uint32_t count = hy_plugins_refusal_count(plugins);
    struct hy_refused_driver *refused = calloc(count ? count : 1, sizeof *refused);
    if (!refused)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_plugin_refusal *from = hy_plugins_refusal(plugins, i);
        refused[i] = (struct hy_refused_driver){.manifest = from->manifest, .reason = from->reason};
    }
    list.refused = refused;
    list.refused_count = count;
}

static void build_list(void)
{
    struct hy_plugins *plugins = open_plugins();
    uint32_t plugin_count = plugins ? hy_plugins_device_count(plugins) : 0;
    struct hy_runtime_device *devices = calloc(plugin_count + CPU_DEVICE_COUNT, sizeof *devices);
    struct hy_device_work *work = calloc(plugin_count + CPU_DEVICE_COUNT, sizeof *work);
    if (!devices || !work) {
        free(devices);
        free(work);
        devices = cpu_only;
        work = cpu_only_work;
        plugin_count = 0;
    }

    for (uint32_t i = 0; i < plugin_count; i++)
        add_plugin_device(&devices[i], hy_plugins_device(plugins, i));
    if (plugins)
        list_refusals(plugins);

    void *instance = NULL;
    struct hy_message message = {0};
    hy_cpu_driver()->create(hy_runtime_host(), "{}", &message, &instance);
    for (uint32_t i = 0; i < CPU_DEVICE_COUNT; i++)
        add_cpu_device(&devices[plugin_count + i], instance, i);

    list.count = plugin_count + CPU_DEVICE_COUNT;
    for (uint32_t i = 0; i < list.count; i++) {
        devices[i].index = i;
        devices[i].work = &work[i];
        hy_extensions_learn(&devices[i].info);
    }
    list.devices = devices;
    list.plugins = plugins;
    list.cpu = &devices[plugin_count];
    list.reference = &devices[plugin_count + 1];
}

const struct hy_device_list *hy_devices(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_list);
    return &list;
}

int hy_device_is_known(const struct hy_runtime_device *device)
{
    const struct hy_device_list *devices = hy_devices();
    for (uint32_t i = 0; i < devices->count; i++) {
        if (device == &devices->devices[i])
            return 1;
    }
    return 0;
}
