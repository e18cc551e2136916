#ifndef HY_RUNTIME_DRIVERS_DEVICE_LIST_H
#define HY_RUNTIME_DRIVERS_DEVICE_LIST_H

#include "runtime/device/runtime_device.h"

struct hy_plugins;

/*
 * The devices visible to an app: the drivers in manifest order, followed by halyard-cpu and
 * nnapi-reference. The first use makes the list once per process, and the list lives as long as the
 * process. Thread-safe.
 */

struct hy_refused_driver {
    const char *manifest;
    const char *reason;
};

struct hy_device_list {
    uint32_t count;
    uint32_t refused_count;
    const struct hy_runtime_device *devices;
    const struct hy_refused_driver *refused;
    const struct hy_plugins *plugins;          /* owner of the strings and tables above */
    const struct hy_runtime_device *cpu;       /* halyard-cpu */
    const struct hy_runtime_device *reference; /* nnapi-reference */
};

/* Returns the list. The two CPU devices are always in the list. NULL: out of memory or descriptors;
 * the next call tries again. */
const struct hy_device_list *hy_devices(void);

/* The reason for NULL from the thread's last call of hy_devices: OUT_OF_MEMORY or EXHAUSTED. */
enum hy_code hy_devices_failure(void);

/* Restricts the list to the CPU devices. HY_BAD_STATE: the list exists already. */
HY_MUST_CHECK enum hy_code hy_devices_disable_drivers(struct hy_error *err);

/* Opens the drivers in child processes first. The list skips every driver that ends a child process
 * or keeps a call for more than `hang_timeout` nanoseconds. Errors: BAD_STATE (the list exists
 * already), FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_devices_try_drivers(uint64_t hang_timeout, struct hy_error *err);

/* Removes the crash records of a driver, see hy_crash_guard_clear. Errors: BAD_STATE, those of
 * hy_crash_guard_clear. */
HY_MUST_CHECK enum hy_code hy_devices_retry_driver(const char *name, struct hy_error *err);

/* True if the handle is in the list. Safe for any pointer value. */
int hy_device_is_known(const struct hy_runtime_device *device);

#endif
