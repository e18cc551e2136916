#ifndef HY_RUNTIME_DRIVERS_DEVICE_LIST_H
#define HY_RUNTIME_DRIVERS_DEVICE_LIST_H

#include "runtime/device/device.h"

struct hy_plugins;

/*
 * The devices an app sees: drivers in manifest order, then halyard-cpu, then nnapi-reference. The
 * list is made once per process, at first use, and lives as long as the process. All of it may be
 * used from any thread.
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
    const struct hy_plugins *plugins;          /* whom the strings and tables above belong to */
    const struct hy_runtime_device *cpu;       /* halyard-cpu */
    const struct hy_runtime_device *reference; /* nnapi-reference */
};

/* The two CPU devices are always there. NULL: there is no memory, or no descriptor, to make the
 * list, and the next call tries again. */
const struct hy_device_list *hy_devices(void);

/* Why this thread's last call gave none: OUT_OF_MEMORY or EXHAUSTED. */
enum hy_code hy_devices_failure(void);

/* Leaves the list with the CPU devices alone. HY_BAD_STATE: it is there already. */
HY_MUST_CHECK enum hy_code hy_devices_disable_drivers(struct hy_error *err);

/* Opens the drivers in other processes first: those that end one, or keep a call for `patience`
 * nanoseconds, are left out here. Errors: BAD_STATE (the devices are listed), FAILED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_devices_try_drivers(uint64_t patience, struct hy_error *err);

/* Forgets what keeps a driver out: hy_crash_guard_forget. Errors: its own, BAD_STATE. */
HY_MUST_CHECK enum hy_code hy_devices_retry_driver(const char *name, struct hy_error *err);

/* True for a handle that is one of the list's; safe for any pointer value. */
int hy_device_is_known(const struct hy_runtime_device *device);

#endif
