#include "plugins/plugin.h"

#include "common/status.h"
#include "common/system_code.h"
#include "plugins/abi.h"
#include "plugins/opening_watch.h"
#include "plugins/service/client/service.h"
#include "plugins/support_library/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_SIZE 256

struct hy_plugin {
    void *library;
    struct hy_driver driver; /* a copy, unaffected by later changes */
    void *instance;
    struct hy_service *service; /* the service process of the instance, or NULL */
    uint32_t device_count;
    const struct hy_plugin_hosts *hosts;
    const struct hy_host *host; /* of the instance */
    struct hy_opening_watch watch;
};

/* dlopen would block on a FIFO. All other errors are left to dlopen, which has the better texts. */
static enum hy_code check_file(const char *path, struct hy_error *err)
{
    struct stat file_info;
    if (stat(path, &file_info) == 0 && !S_ISREG(file_info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "library %s is not a regular file", path);
    return HY_OK;
}

/* dlopen reports only a text, so the lack of descriptors needs a separate check. */
static bool are_descriptors_left(void)
{
    const int fd = open("/", O_PATH | O_CLOEXEC);
    const bool are_left = fd >= 0 || hy_system_code(errno, HY_OK) != HY_EXHAUSTED;

    if (fd >= 0)
        close(fd);
    return are_left;
}

static enum hy_code load(struct hy_plugin *plugin, const char *path, hy_driver_query_fn *query,
                         struct hy_error *err)
{
    hy_opening_watch_enter(&plugin->watch, "dlopen");
    plugin->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->library)
        return hy_fail(err, are_descriptors_left() ? HY_FAILED : HY_EXHAUSTED, "%s", dlerror());

    /* ISO C has no conversion from void * to a function pointer, so the pointer is copied. */
    void *symbol = dlsym(plugin->library, HY_DRIVER_QUERY_SYMBOL);
    if (!symbol)
        return hy_fail(err, HY_BAD_DATA, "%s", dlerror());
    memcpy(query, &symbol, sizeof *query);
    return HY_OK;
}

static enum hy_code check_driver(const struct hy_driver *driver, struct hy_error *err)
{
    if (!driver)
        return hy_fail(err, HY_BAD_DATA, "%s returned NULL: the driver does not support ABI %u.%u",
                       HY_DRIVER_QUERY_SYMBOL, HY_ABI_MAJOR(HY_DRIVER_ABI),
                       HY_ABI_MINOR(HY_DRIVER_ABI));
    enum hy_code code = hy_abi_check("hy_driver.abi is", driver->abi, err);
    if (code != HY_OK)
        return code;
    if (driver->struct_size < HY_DRIVER_SIZE_1_0)
        return hy_fail(err, HY_BAD_DATA, "hy_driver.struct_size is %u, needs at least %zu",
                       driver->struct_size, HY_DRIVER_SIZE_1_0);
    if (!driver->name || driver->name[0] == '\0')
        return hy_fail(err, HY_BAD_DATA, "hy_driver.name is empty");

    const char *missing = !driver->create         ? "create"
                          : !driver->destroy      ? "destroy"
                          : !driver->device_count ? "device_count"
                          : !driver->device       ? "device"
                                                  : NULL;
    if (missing)
        return hy_fail(err, HY_BAD_DATA, "hy_driver.%s is NULL", missing);
    return HY_OK;
}

static enum hy_code create_instance(struct hy_plugin *plugin, const char *arguments,
                                    struct hy_error *err)
{
    char text[MESSAGE_SIZE] = "";
    const struct hy_message message = {.text = text, .size = sizeof text};
    void *instance = NULL;

    hy_opening_watch_enter(&plugin->watch, "create");
    int32_t status = plugin->driver.create(plugin->host, arguments, &message, &instance);
    text[sizeof text - 1] = '\0';

    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "create failed with %s (%d)%s%s", hy_status_name(status),
                       status, *text ? ": " : "", text);
    if (!instance)
        return hy_fail(err, HY_BAD_DATA, "create returned OK without an instance");
    plugin->instance = instance;
    return HY_OK;
}

static enum hy_code count_devices(struct hy_plugin *plugin, struct hy_error *err)
{
    hy_opening_watch_enter(&plugin->watch, "device_count");
    uint32_t count = plugin->driver.device_count(plugin->instance);
    if (count < 1 || count > HY_MAX_DEVICES)
        return hy_fail(err, HY_BAD_DATA, "device_count is %u, needs 1 to %u", count,
                       HY_MAX_DEVICES);
    plugin->device_count = count;
    return HY_OK;
}

static enum hy_code open_native(struct hy_plugin *plugin, const char *path, const char *arguments,
                                struct hy_error *err)
{
    hy_driver_query_fn query = NULL;
    enum hy_code code = load(plugin, path, &query, err);
    if (code != HY_OK)
        return code;

    hy_opening_watch_enter(&plugin->watch, HY_DRIVER_QUERY_SYMBOL);
    const struct hy_driver *driver = query(HY_DRIVER_ABI);
    code = check_driver(driver, err);
    if (code != HY_OK)
        return code;
    memcpy(&plugin->driver, driver,
           driver->struct_size < sizeof *driver ? driver->struct_size : sizeof *driver);

    return create_instance(plugin, arguments, err);
}

static enum hy_code open_driver(struct hy_plugin *plugin, const char *path,
                                const struct hy_manifest *manifest,
                                const struct hy_plugin_opener *opener, struct hy_error *err)
{
    enum hy_code code = check_file(path, err);
    if (code != HY_OK)
        return code;

    plugin->watch = (struct hy_opening_watch){
        .driver = opener->driver,
        .guard = opener->guard,
        .library = path,
        .host = plugin->host,
    };
    code = hy_opening_watch_begin(&plugin->watch, err);
    if (code != HY_OK)
        return code;

    switch (manifest->kind) {
    case HY_MANIFEST_IN_PROCESS:
        code = open_native(plugin, path, manifest->arguments, err);
        break;
    case HY_MANIFEST_NNAPI_SL:
        plugin->driver = *hy_sl_driver();
        code = hy_sl_library_open(path, manifest->arguments, plugin->host, &plugin->watch,
                                  &plugin->instance, err);
        break;
    }
    if (code == HY_OK)
        code = count_devices(plugin, err);
    return code;
}

static enum hy_code open_service(struct hy_plugin *plugin, const char *path,
                                 const struct hy_manifest *manifest,
                                 const struct hy_service_settings *services, struct hy_error *err)
{
    const struct hy_service_launch launch = {
        .library = path,
        .kind = manifest->kind,
        .arguments = manifest->arguments,
        .device_files = (const char *const *)manifest->device_files,
        .device_file_count = manifest->device_file_count,
        .capabilities = manifest->capabilities,
        .socket = manifest->socket,
        .socket_user = manifest->socket_user,
    };
    enum hy_code code = check_file(path, err);
    if (code == HY_OK)
        code = hy_service_open(&launch, services, plugin->host, &plugin->service, err);
    if (code != HY_OK)
        return code;
    plugin->instance = plugin->service;
    plugin->driver = *hy_service_driver();
    plugin->driver.name = hy_service_driver_name(plugin->service);
    plugin->driver.abi = hy_service_driver_abi(plugin->service);
    return count_devices(plugin, err);
}

/* With `opener` the driver opens in this process; otherwise `services` is set. */
static enum hy_code open_plugin(const char *path, const struct hy_manifest *manifest,
                                const struct hy_plugin_hosts *hosts,
                                const struct hy_plugin_opener *opener,
                                const struct hy_service_settings *services, struct hy_plugin **out,
                                struct hy_error *err)
{
    enum hy_code code;
    struct hy_plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plugin %s", path);

    plugin->hosts = hosts;
    plugin->host = hosts->create ? hosts->create() : hosts->common;
    if (!plugin->host)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "host for %s", path);
    else if (opener)
        code = open_driver(plugin, path, manifest, opener, err);
    else
        code = open_service(plugin, path, manifest, services, err);
    if (code != HY_OK) {
        hy_plugin_close(plugin);
        return code;
    }
    *out = plugin;
    return HY_OK;
}

enum hy_code hy_plugin_open(const char *path, const struct hy_manifest *manifest,
                            const struct hy_plugin_hosts *hosts,
                            const struct hy_plugin_opener *opener, struct hy_plugin **out,
                            struct hy_error *err)
{
    return open_plugin(path, manifest, hosts, opener, NULL, out, err);
}

enum hy_code hy_plugin_open_isolated(const char *path, const struct hy_manifest *manifest,
                                     const struct hy_plugin_hosts *hosts,
                                     const struct hy_service_settings *services,
                                     struct hy_plugin **out, struct hy_error *err)
{
    return open_plugin(path, manifest, hosts, NULL, services, out, err);
}

struct hy_service *hy_plugin_service(const struct hy_plugin *plugin)
{
    return plugin->service;
}

void hy_plugin_close(struct hy_plugin *plugin)
{
    if (!plugin)
        return;
    if (plugin->instance && plugin->hosts->create)
        plugin->hosts->end_tasks(plugin->host);
    if (plugin->instance) {
        hy_opening_watch_enter(&plugin->watch, "destroy");
        plugin->driver.destroy(plugin->instance);
    }
    if (plugin->library) {
        hy_opening_watch_enter(&plugin->watch, "dlclose");
        dlclose(plugin->library);
    }
    hy_opening_watch_end(&plugin->watch);
    if (plugin->hosts->create)
        plugin->hosts->destroy(plugin->host);
    free(plugin);
}

enum hy_code hy_plugin_note_device(const struct hy_plugin *plugin,
                                   const struct hy_device_info *info, struct hy_error *err)
{
    if (!plugin->hosts->create ||
        plugin->hosts->note_device(plugin->host, plugin->driver.name, info))
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "host of device %s", info->name);
}

void hy_plugin_complete(const struct hy_plugin *plugin)
{
    if (plugin->hosts->create)
        plugin->hosts->complete(plugin->host);
}

void hy_plugin_enter(const struct hy_plugin *plugin, const char *call)
{
    hy_opening_watch_enter(&plugin->watch, call);
}

void hy_plugin_end_opening(struct hy_plugin *plugin)
{
    hy_opening_watch_end(&plugin->watch);
}

const char *hy_plugin_name(const struct hy_plugin *plugin)
{
    return plugin->driver.name;
}

uint32_t hy_plugin_abi(const struct hy_plugin *plugin)
{
    return plugin->driver.abi;
}

uint32_t hy_plugin_device_count(const struct hy_plugin *plugin)
{
    return plugin->device_count;
}

enum hy_code hy_plugin_device(const struct hy_plugin *plugin, uint32_t index,
                              const struct hy_device **table, void **device, struct hy_error *err)
{
    const struct hy_device *new_table = NULL;
    void *new_device = NULL;

    hy_opening_watch_enter(&plugin->watch, "device");
    int32_t status = plugin->driver.device(plugin->instance, index, &new_table, &new_device);
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "device failed with %s (%d)", hy_status_name(status),
                       status);
    if (!new_table || !new_device)
        return hy_fail(err, HY_BAD_DATA, "device returned OK without a %s",
                       new_table ? "device" : "table");
    *table = new_table;
    *device = new_device;
    return HY_OK;
}
