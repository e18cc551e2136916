#ifndef HY_RUNTIME_DEVICE_KIND_H
#define HY_RUNTIME_DEVICE_KIND_H

#include "runtime/device/device.h"

#include <stdbool.h>

/* In this process and part of the library: halyard-cpu and nnapi-reference. */
bool hy_device_is_built_in(const struct hy_runtime_device *device);

/* The last resort of a plan, which runs every operation. */
bool hy_device_is_reference(const struct hy_runtime_device *device);

/* halyard-cpu, in this process or in that of a service. */
bool hy_device_is_cpu(const struct hy_runtime_device *device);

/* One of the two, in this process or in another. */
bool hy_device_is_backend(const struct hy_runtime_device *device);

#endif
