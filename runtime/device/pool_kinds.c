#include "runtime/device/pool_kinds.h"

static const char *name_of(uint32_t kinds)
{
    if (kinds >> HY_POOL_HARDWARE_BUFFER & 1)
        return "images";
    if (kinds >> HY_POOL_BUFFER & 1)
        return "memory of devices";
    return kinds >> HY_POOL_HOST & 1 ? "memory by address" : "memory of this kind";
}

enum hy_code hy_pool_kinds_check(const struct hy_runtime_device *device, uint32_t kinds,
                                 struct hy_error *err)
{
    const uint32_t foreign = kinds & ~hy_pool_kinds_of(device);

    return foreign ? hy_fail(err, HY_FAILED, "%s does not support %s", device->info.name,
                             name_of(foreign))
                   : HY_OK;
}
