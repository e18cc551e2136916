#ifndef HY_RUNTIME_DEVICE_KIND_H
#define HY_RUNTIME_DEVICE_KIND_H

#include "runtime/device/runtime_device.h"

#include <stdbool.h>

/* True for halyard-cpu and nnapi-reference in the calling process. */
bool hy_device_is_built_in(const struct hy_runtime_device *device);

/* True for nnapi-reference, the last resort of a plan: the device runs every operation. */
bool hy_device_is_reference(const struct hy_runtime_device *device);

/* True for halyard-cpu, in the calling process or in a service process. */
bool hy_device_is_cpu(const struct hy_runtime_device *device);

/* True for halyard-cpu and nnapi-reference in any process. */
bool hy_device_is_backend(const struct hy_runtime_device *device);

#endif
