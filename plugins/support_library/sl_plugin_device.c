#include "plugins/support_library/sl_plugin_device.h"

#include "common/status.h"
#include "plugins/discovery/refusal_list.h"
#include "plugins/support_library/deadline.h"
#include "plugins/support_library/execution.h"
#include "plugins/support_library/result.h"
#include "plugins/support_library/sl_burst.h"
#include "plugins/support_library/sl_device_info.h"
#include "plugins/support_library/sl_fenced.h"
#include "plugins/support_library/sl_prepared.h"
#include "plugins/support_library/sl_reusable.h"

static int32_t describe(void *device, struct hy_device_info *info)
{
    const struct hy_sl_device *own = device;

    if (own->code == HY_OK)
        *info = own->info;
    return hy_status_report(own->code, NULL, NULL);
}

static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    const struct hy_sl_device *own = device;

    if (own->code == HY_OK)
        *capabilities = own->capabilities;
    return hy_status_report(own->code, NULL, NULL);
}

/* The library's wait has no timeout: only a deadline that has already passed is reported. */
static int32_t wait(void *device, int64_t deadline)
{
    const struct hy_sl_device *own = device;
    struct hy_error err;
    uint64_t left;

    enum hy_code code = hy_sl_time_left(deadline, &left, &err);
    if (code == HY_OK)
        code = hy_sl_result(own->table->base.ANeuralNetworksDevice_wait(own->handle), "Device_wait",
                            &err);
    return hy_status_report(code, &err, NULL);
}

const struct hy_device *hy_sl_device_table(void)
{
    static const struct hy_device table = {
        .struct_size = sizeof table,
        .abi = HY_DRIVER_ABI,
        .describe = describe,
        .capabilities = capabilities,
        .supported_operations = hy_sl_supported_operations,
        .prepare = hy_sl_prepare,
        .prepared_destroy = hy_sl_prepared_destroy,
        .execute = hy_sl_execute,
        .wait = wait,
        .execute_fenced = hy_sl_execute_fenced,
        .fenced_result = hy_sl_fenced_result,
        .fenced_destroy = hy_sl_fenced_destroy,
        .burst_open = hy_sl_burst_open,
        .burst_execute = hy_sl_burst_execute,
        .burst_release = hy_sl_burst_release,
        .burst_close = hy_sl_burst_close,
        .reusable_create = hy_sl_reusable_create,
        .reusable_execute = hy_sl_reusable_execute,
        .reusable_destroy = hy_sl_reusable_destroy,
    };
    return &table;
}

enum hy_code hy_sl_device_init(struct hy_sl_device *device, const NnApiSLDriverImplFL8 *table,
                               const ANeuralNetworksDevice *handle, const char *prefix,
                               const struct hy_host *host, struct hy_error *err)
{
    *device = (struct hy_sl_device){.table = table, .handle = handle, .host = host};
    device->code = hy_sl_device_info_query(device, prefix, err);
    if (device->code == HY_OUT_OF_MEMORY) {
        hy_sl_device_finish(device);
        return HY_OUT_OF_MEMORY;
    }
    if (device->code != HY_OK)
        hy_plugins_log(host, HY_LOG_WARNING, device->info.name ? device->info.name : "a device",
                       "%s", err->text);
    return HY_OK;
}

void hy_sl_device_finish(struct hy_sl_device *device)
{
    hy_arena_finish(&device->memory);
}
