#ifndef HY_RUNTIME_API_DEVICE_SET_H
#define HY_RUNTIME_API_DEVICE_SET_H

#include "android/NeuralNetworks.h"
#include "common/error.h"
#include "runtime/device/runtime_device.h"

/*
 * Checks a list of devices from an app. Errors: UNEXPECTED_NULL (an entry is NULL; checked first),
 * BAD_DATA (the list is empty, holds an unknown device or holds a device twice).
 */
HY_MUST_CHECK enum hy_code hy_device_set_check(const ANeuralNetworksDevice *const *devices,
                                               uint32_t count, struct hy_error *err);

/* Copies a checked list to an array of runtime devices. The caller frees the array. NULL: out of
 * memory. */
const struct hy_runtime_device **hy_device_set_copy(const ANeuralNetworksDevice *const *devices,
                                                    uint32_t count);

#endif
