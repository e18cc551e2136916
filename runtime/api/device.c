/* Devices: their number, handles and properties. */
#include "runtime/driver_status.h"
#include "runtime/drivers/device_list.h"
#include "runtime/extension/extension.h"
#include "runtime/handle/device_check.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

#include <stddef.h>
#include <string.h>

/* Feature levels 1 to 5 are reported as the platform levels 27 to 31, later ones as 1000006 and up.
 */
static int64_t reported_level(uint32_t level)
{
    return level <= 5 ? 26 + (int64_t)level : 1000000 + (int64_t)level;
}

int hy_api_check_device(const char *function, const ANeuralNetworksDevice *handle)
{
    struct hy_error err;
    if (!handle)
        return hy_api_null(function, "device");
    if (!hy_device_is_known(hy_device_of(handle)))
        return hy_api_result(function,
                             hy_fail(&err, HY_BAD_DATA, "device %p is not a device of this library",
                                     (const void *)handle),
                             &err);
    return ANEURALNETWORKS_NO_ERROR;
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
    return ANEURALNETWORKS_FEATURE_LEVEL_8;
}

int ANeuralNetworks_getDeviceCount(uint32_t *count)
{
    if (!count)
        return hy_api_null("getDeviceCount", "numDevices");
    const struct hy_device_list *list = hy_devices();
    *count = list ? list->count : 0;
    return list ? ANEURALNETWORKS_NO_ERROR : hy_api_no_devices("getDeviceCount");
}

int ANeuralNetworks_getDevice(uint32_t index, ANeuralNetworksDevice **device)
{
    struct hy_error err;
    if (!device)
        return hy_api_null("getDevice", "device");
    *device = NULL;

    const struct hy_device_list *list = hy_devices();
    if (!list)
        return hy_api_no_devices("getDevice");
    if (index >= list->count)
        return hy_api_result("getDevice",
                             hy_fail(&err, HY_BAD_DATA,
                                     "device index %u does not exist, there are %u devices", index,
                                     list->count),
                             &err);
    *device = hy_device_handle(&list->devices[index]);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name)
{
    if (!name)
        return hy_api_null("Device_getName", "name");
    *name = NULL;
    int result = hy_api_check_device("Device_getName", device);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *name = hy_device_of(device)->info.name;
    return result;
}

/* Up to feature level 2 the driver interface of NNAPI had no versions, so these devices report a
 * fixed version. */
static const char *version_of(const struct hy_runtime_device *device)
{
    return device->info.feature_level <= 2 ? "UNKNOWN" : device->info.version;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version)
{
    if (!version)
        return hy_api_null("Device_getVersion", "version");
    *version = NULL;
    int result = hy_api_check_device("Device_getVersion", device);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *version = version_of(hy_device_of(device));
    return result;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type)
{
    if (!type)
        return hy_api_null("Device_getType", "type");
    int result = hy_api_check_device("Device_getType", device);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *type = hy_device_of(device)->info.type;
    return result;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *level)
{
    if (!level)
        return hy_api_null("Device_getFeatureLevel", "featureLevel");
    int result = hy_api_check_device("Device_getFeatureLevel", device);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *level = reported_level(hy_device_of(device)->info.feature_level);
    return result;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device)
{
    struct hy_error err;
    int result = hy_api_check_device("Device_wait", device);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_runtime_device *own = hy_device_of(device);
    if (!HY_HAS(own->table, wait))
        return ANEURALNETWORKS_NO_ERROR; /* never unavailable */
    int32_t status = own->table->wait(own->self, HY_NO_DEADLINE);
    if (status == HY_STATUS_OK)
        return ANEURALNETWORKS_NO_ERROR;
    char text[HY_DRIVER_TEXT_SIZE] = "";
    enum hy_code code = hy_driver_fail(&err, own->info.name, "wait", status, text);
    return hy_api_result("Device_wait", code, &err);
}

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device, const char *name,
                                              bool *supported)
{
    if (!name || !supported)
        return hy_api_null("Device_getExtensionSupport",
                           name ? "isExtensionSupported" : "extensionName");
    *supported = false;
    int result = hy_api_check_device("Device_getExtensionSupport", device);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_device_info *info = &hy_device_of(device)->info;
    for (uint32_t i = 0; i < info->extension_count; i++) {
        if (strcmp(info->extensions[i].name, name) == 0)
            *supported = hy_extension_is_whole(info, i);
    }
    return ANEURALNETWORKS_NO_ERROR;
}
