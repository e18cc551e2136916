/* halyard.h: the version, and what the runtime knows of its devices beyond the standard API. */
#include "halyard/halyard.h"
#include "out_struct.h"
#include "plugins/service/client/service.h"
#include "runtime/drivers/device_list.h"
#include "runtime/execute/work.h"
#include "runtime/handle/device_check.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

const char *halyard_version(void)
{
    return HALYARD_VERSION;
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
    struct hy_service_facts process = {.sandbox = "", .socket = ""};
    if (device->service)
        hy_service_get_facts(device->service, &process);
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
    };
    enum hy_code code = hy_out_struct_copy(info, &full, sizeof full, &err);
    return hy_api_result("device_get_info", code, &err);
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
                             hy_fail(&err, HY_BAD_DATA, "refused driver %u, there are %u", index,
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
