#ifndef HY_RUNTIME_API_DEVICE_SET_H
#define HY_RUNTIME_API_DEVICE_SET_H

#include "android/NeuralNetworks.h"
#include "common/error.h"
#include "runtime/device/device.h"

/*
 * Checks a list of devices that an app names. Errors: UNEXPECTED_NULL (an entry, before all
 * others), BAD_DATA (none at all, one that is none of ours, one named twice).
 */
HY_MUST_CHECK enum hy_code hy_device_set_check(const ANeuralNetworksDevice *const *devices,
                                               uint32_t count, struct hy_error *err);

/* A copy of a checked list in our words, to be freed. NULL: no memory. */
const struct hy_runtime_device **hy_device_set_copy(const ANeuralNetworksDevice *const *devices,
                                                    uint32_t count);

#endif
