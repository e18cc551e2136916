#include "runtime/device/device_kind.h"

#include "halyard/halyard.h"

#include <string.h>

bool hy_device_is_built_in(const struct hy_runtime_device *device)
{
    return device->kind == HALYARD_DEVICE_BUILT_IN;
}

bool hy_device_is_reference(const struct hy_runtime_device *device)
{
    return hy_device_is_built_in(device) && strcmp(device->info.name, "nnapi-reference") == 0;
}

bool hy_device_is_cpu(const struct hy_runtime_device *device)
{
    if (device->kind == HALYARD_DEVICE_SERVICE)
        return strcmp(device->info.name, "halyard-cpu") == 0;
    return hy_device_is_built_in(device) && !hy_device_is_reference(device);
}

bool hy_device_is_backend(const struct hy_runtime_device *device)
{
    return hy_device_is_built_in(device) || hy_device_is_cpu(device);
}
