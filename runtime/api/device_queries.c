/* halyard.h: the version, and properties of devices beyond the standard API. */
#include "cpu_fallback/cpu_driver.h"
#include "halyard/halyard.h"
#include "out_struct.h"
#include "plugins/discovery/manifest.h"
#include "plugins/discovery/search.h"
#include "plugins/plugins.h"
#include "plugins/service/client/service.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/drivers/device_list.h"
#include "runtime/drivers/host.h"
#include "runtime/execute/work.h"
#include "runtime/handle/device_check.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

const char *halyard_version(void)
{
    return HALYARD_VERSION;
}

static uint32_t burst_depth_of(const struct hy_runtime_device *device)
{
    if (!device->table || !HY_HAS(device->table, burst_execute))
        return 0;
    return device->info.burst_depth ? device->info.burst_depth : 1;
}

int halyard_device_get_info(const ANeuralNetworksDevice *handle, struct halyard_device_info *info)
{
    struct hy_error err;
    if (!handle || !info)
        return hy_api_null("device_get_info", handle ? "info" : "device");
    int result = hy_api_check_device("device_get_info", handle);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_runtime_device *device = hy_device_of(handle);
    int64_t level = 0;
    ANeuralNetworksDevice_getFeatureLevel(handle, &level);
    const struct hy_work_sum work = hy_work_of_device(device);
    struct hy_service_info process = {.sandbox = "", .socket = ""};
    if (device->service)
        hy_service_get_info(device->service, &process);
    const struct halyard_device_info full = {
        .name = device->info.name,
        .version = device->info.version,
        .build_id = device->info.build_id ? device->info.build_id : "",
        .manifest = device->manifest,
        .library = device->library,
        .type = device->info.type,
        .kind = device->kind,
        .feature_level = level,
        .driver_abi_major = HY_ABI_MAJOR(device->abi),
        .driver_abi_minor = HY_ABI_MINOR(device->abi),
        .execution_count = work.steps,
        .operation_count = work.operations,
        .process_id = process.pid,
        .restart_count = process.restarts,
        .sandbox = process.sandbox,
        .socket = process.socket,
        .extension_count = device->info.extension_count,
        .model_cache_files = device->info.model_cache_files,
        .data_cache_files = device->info.data_cache_files,
        .pool_kinds = hy_pool_kinds_of(device),
        .burst_depth = burst_depth_of(device),
        .has_buffers = device->table && HY_HAS(device->table, buffer_destroy),
        .launch_ns = device->capabilities.launch_ns,
        .bytes_per_second = device->capabilities.bytes_per_second,
        .note = device->kind == HALYARD_DEVICE_BUILT_IN ? hy_cpu_device_note(device->self) : "",
    };
    enum hy_code code = hy_out_struct_copy(info, &full, sizeof full, &err);
    return hy_api_result("device_get_info", code, &err);
}

int halyard_device_get_extension(const ANeuralNetworksDevice *handle, uint32_t index,
                                 struct halyard_device_extension *extension)
{
    struct hy_error err;
    if (!handle || !extension)
        return hy_api_null("device_get_extension", handle ? "extension" : "device");
    int result = hy_api_check_device("device_get_extension", handle);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_device_info *info = &hy_device_of(handle)->info;
    if (index >= info->extension_count)
        return hy_api_result("device_get_extension",
                             hy_fail(&err, HY_BAD_DATA, "extension %u does not exist, %s has %u",
                                     index, info->name, info->extension_count),
                             &err);
    const struct halyard_device_extension full = {
        .name = info->extensions[index].name,
        .is_partial = info->partial_extensions && info->partial_extensions[index],
    };
    enum hy_code code = hy_out_struct_copy(extension, &full, sizeof full, &err);
    return hy_api_result("device_get_extension", code, &err);
}

uint32_t halyard_driver_dir_count(void)
{
    const struct hy_device_list *list = hy_devices();
    if (!list)
        hy_api_no_devices("driver_folder_count");
    return list ? hy_plugins_location_count(list->plugins) : 0;
}

int halyard_get_driver_dir(uint32_t index, struct halyard_driver_dir *dir)
{
    struct hy_error err;
    if (!dir)
        return hy_api_null("get_driver_folder", "folder");

    const struct hy_device_list *list = hy_devices();
    if (!list)
        return hy_api_no_devices("get_driver_folder");
    const uint32_t count = hy_plugins_location_count(list->plugins);
    if (index >= count)
        return hy_api_result("get_driver_folder",
                             hy_fail(&err, HY_BAD_DATA,
                                     "driver directory %u does not exist, there are %u", index,
                                     count),
                             &err);
    const struct hy_searched_location *position = hy_plugins_location(list->plugins, index);
    const struct halyard_driver_dir full = {
        .path = position->path,
        .setting = position->setting,
        .manifests = (const char *const *)position->manifests.names,
        .masked = (const char *const *)position->masked.names,
        .manifest_count = position->manifests.count,
        .masked_count = position->masked.count,
        .is_there = position->is_there,
    };
    enum hy_code code = hy_out_struct_copy(dir, &full, sizeof full, &err);
    return hy_api_result("get_driver_folder", code, &err);
}

int halyard_check_manifest(const char *path)
{
    struct hy_manifest manifest = {0};
    struct hy_error err;
    if (!path)
        return hy_api_null("check_manifest", "path");

    enum hy_code code = hy_manifest_read(path, hy_runtime_hosts()->common, &manifest, &err);
    hy_manifest_finish(&manifest);
    if (code == HY_FAILED)
        code = HY_UNMAPPABLE;
    return hy_api_result("check_manifest", code, &err);
}

uint32_t halyard_refused_driver_count(void)
{
    const struct hy_device_list *list = hy_devices();
    if (!list)
        hy_api_no_devices("refused_driver_count");
    return list ? list->refused_count : 0;
}

int halyard_get_refused_driver(uint32_t index, struct halyard_refused_driver *refused)
{
    struct hy_error err;
    if (!refused)
        return hy_api_null("get_refused_driver", "refused");

    const struct hy_device_list *list = hy_devices();
    if (!list)
        return hy_api_no_devices("get_refused_driver");
    if (index >= list->refused_count)
        return hy_api_result("get_refused_driver",
                             hy_fail(&err, HY_BAD_DATA,
                                     "refused driver %u does not exist, there are %u", index,
                                     list->refused_count),
                             &err);
    const struct halyard_refused_driver full = {
        .manifest = list->refused[index].manifest,
        .reason = list->refused[index].reason,
    };
    enum hy_code code = hy_out_struct_copy(refused, &full, sizeof full, &err);
    return hy_api_result("get_refused_driver", code, &err);
}

int halyard_disable_drivers(void)
{
    struct hy_error err;
    return hy_api_result("disable_drivers", hy_devices_disable_drivers(&err), &err);
}

int halyard_try_drivers(uint64_t hang_timeout)
{
    struct hy_error err;
    return hy_api_result("try_drivers", hy_devices_try_drivers(hang_timeout, &err), &err);
}

int halyard_retry_driver(const char *name)
{
    struct hy_error err;
    if (!name)
        return hy_api_null("retry_driver", "name");
    return hy_api_result("retry_driver", hy_devices_retry_driver(name, &err), &err);
}
