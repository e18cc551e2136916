#include "device_set.h"

#include "runtime/drivers/device_list.h"
#include "runtime/handle/handle.h"

#include <stdlib.h>

static enum hy_code check_repeats(const ANeuralNetworksDevice *const *devices, uint32_t count,
                                  uint32_t index, struct hy_error *err)
{
    for (uint32_t i = index + 1; i < count; i++) {
        if (devices[i] == devices[index])
            return hy_fail(err, HY_BAD_DATA, "devices %u and %u are the same device", index, i);
    }
    return HY_OK;
}

enum hy_code hy_device_set_check(const ANeuralNetworksDevice *const *devices, uint32_t count,
                                 struct hy_error *err)
{
    if (count == 0)
        return hy_fail(err, HY_BAD_DATA, "the list of devices is empty");
    for (uint32_t i = 0; i < count; i++) {
        if (!devices[i])
            return hy_fail(err, HY_UNEXPECTED_NULL, "device %u is NULL", i);
    }

    const struct hy_device_list *list = hy_devices();
    if (!list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the list of devices");
    /* A list longer than the device list must repeat a device or hold an unknown device. */
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count && i <= list->count; i++) {
        if (!hy_device_is_known(hy_device_of(devices[i])))
            return hy_fail(err, HY_BAD_DATA, "device %u (%p) is not a device of this library", i,
                           (const void *)devices[i]);
        code = check_repeats(devices, count, i, err);
    }
    return code;
}

const struct hy_runtime_device **hy_device_set_copy(const ANeuralNetworksDevice *const *devices,
                                                    uint32_t count)
{
    const struct hy_runtime_device **copy = calloc(count, sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = hy_device_of(devices[i]);
    return copy;
}
