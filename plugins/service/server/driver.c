/* The driver of this process: opened once in the sandbox, and queried for all constant
 * properties. */
#include "common/status.h"
#include "plugins/device_info.h"
#include "plugins/device_table.h"
#include "plugins/service/server/clients/hangups.h"
#include "plugins/service/server/host.h"
#include "plugins/service/server/hung_calls.h"
#include "plugins/service/server/opening_note.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/server/watcher.h"

#include <stdlib.h>

#define TEXT_SIZE 256

/* ---- Opening --------------------------------------------------------------------------------- */

static enum hy_code open_built_in(struct hy_server_driver *driver, const char *arguments,
                                  struct hy_error *err)
{
    const struct hy_driver *built_in = driver->serve->built_in;
    char text[TEXT_SIZE] = "";
    const struct hy_message message = {.text = text, .size = sizeof text};

    driver->driver_host = hy_server_hosts(driver)->create();
    if (!driver->driver_host)
        return hy_fail(err, HY_OUT_OF_MEMORY, "host of the built-in driver");
    const int32_t status =
        built_in->create(driver->driver_host, arguments, &message, &driver->built_in);
    text[sizeof text - 1] = '\0';
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "create failed with %s (%d)%s%s", hy_status_name(status),
                       status, *text ? ": " : "", text);
    driver->device_count = built_in->device_count(driver->built_in);
    return HY_OK;
}

static enum hy_code open_library(struct hy_server_driver *driver, struct hy_error *err)
{
    const struct hy_serve_driver *what = &driver->what;
    const struct hy_plugin_opener opener = {.driver = "", .guard = &hy_server_opening_note};
    const struct hy_manifest manifest = {
        .arguments = (char *)what->arguments,
        .kind = (enum hy_manifest_kind)what->manifest_kind,
    };

    if (what->manifest_kind > HY_MANIFEST_NNAPI_SL)
        return hy_fail(err, HY_BAD_DATA, "the driver has the unknown kind %u", what->manifest_kind);
    enum hy_code code = hy_plugin_open(what->library, &manifest, hy_server_hosts(driver), &opener,
                                       &driver->plugin, err);
    if (code == HY_OK)
        driver->device_count = hy_plugin_device_count(driver->plugin);
    return code;
}

/* ---- Its devices ----------------------------------------------------------------------------- */

static enum hy_code find_device(const struct hy_server_driver *driver, uint32_t index,
                                const struct hy_device **table, void **device, struct hy_error *err)
{
    if (driver->plugin)
        return hy_plugin_device(driver->plugin, index, table, device, err);
    const int32_t status = driver->serve->built_in->device(driver->built_in, index, table, device);
    return status == HY_STATUS_OK ? HY_OK
                                  : hy_fail(err, HY_FAILED, "device failed with %s (%d)",
                                            hy_status_name(status), status);
}

static enum hy_code introduce(struct hy_server_driver *driver, struct hy_server_device *device,
                              struct hy_error *err)
{
    const struct hy_plugin_hosts *hosts = hy_server_hosts(driver);

    if (hosts->note_device(&driver->host, hy_server_driver_name(driver), &device->info))
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "host of device %s", device->info.name);
}

static void enter(const struct hy_server_driver *driver, const char *call)
{
    if (driver->plugin)
        hy_plugin_enter(driver->plugin, call);
}

/* The failure of a single device is reported when the device is described, so the other devices
 * stay usable. */
static enum hy_code question(struct hy_server_driver *driver, uint32_t index, struct hy_error *err)
{
    struct hy_server_device *device = &driver->devices[index];
    const struct hy_device *table = NULL;

    enum hy_code code = find_device(driver, index, &table, &device->device, err);
    if (code == HY_OK)
        code = hy_device_table_copy(table, &device->table, err);
    if (code == HY_OK) {
        enter(driver, "describe");
        code = hy_device_info_ask(&device->table, device->device, &device->info, err);
    }
    if (code == HY_OK) {
        enter(driver, "capabilities");
        code =
            hy_device_capabilities_ask(&device->table, device->device, &device->capabilities, err);
    }
    if (code == HY_OK)
        code = introduce(driver, device, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "device %u", index);
}

static enum hy_code question_all(struct hy_server_driver *driver, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    driver->devices = calloc(driver->device_count, sizeof *driver->devices);
    if (!driver->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u devices", driver->device_count);
    for (uint32_t i = 0; i < driver->device_count && code == HY_OK; i++)
        code = question(driver, i, err);
    if (driver->plugin)
        hy_plugin_end_opening(driver->plugin);
    if (code == HY_OK)
        hy_server_hosts(driver)->complete(&driver->host);
    return code;
}

/* ---- The whole ------------------------------------------------------------------------------- */

enum hy_code hy_server_driver_open(struct hy_server_driver *driver,
                                   const struct hy_serve_driver *what, struct hy_error *err)
{
    const struct hy_serve *serve = driver->serve;

    driver->what = *what;
    serve->confine(serve->context, &driver->what);
    if (!hy_server_watch(serve->control))
        return hy_fail(err, HY_EXHAUSTED, "no thread to watch the client");
    if (serve->hang_timeout_ns > 0 && !hy_server_watch_calls(serve))
        return hy_fail(err, HY_EXHAUSTED, "no thread to watch the calls of the driver");
    enum hy_code code = hy_server_hangups_start(err);
    const struct hy_watched_call outer =
        hy_watchdog_enter(NULL, "open"); /* of the built-in driver */
    if (code == HY_OK)
        code = *what->library ? open_library(driver, err)
                              : open_built_in(driver, what->arguments, err);
    if (code == HY_OK)
        code = question_all(driver, err);
    hy_watchdog_leave(outer);
    if (code == HY_OK)
        serve->confine_further(serve->context, &driver->what);
    return code;
}

void hy_server_driver_close(struct hy_server_driver *driver)
{
    for (uint32_t i = 0; driver->devices && i < driver->device_count; i++) {
        hy_device_info_finish(&driver->devices[i].info);
        hy_device_capabilities_finish(&driver->devices[i].capabilities);
    }
    free(driver->devices);
    driver->devices = NULL;
    hy_plugin_close(driver->plugin);
    if (driver->built_in) {
        hy_server_hosts(driver)->end_tasks(driver->driver_host);
        driver->serve->built_in->destroy(driver->built_in);
    }
    if (driver->driver_host)
        hy_server_hosts(driver)->destroy(driver->driver_host);
}
