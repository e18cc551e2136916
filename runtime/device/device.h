#ifndef HY_RUNTIME_DEVICE_H
#define HY_RUNTIME_DEVICE_H

#include "halyard/driver.h"

#include <stdatomic.h>

struct hy_plugins;

/* What a device has done since the process began: steps that it ended without an error. */
struct hy_device_work {
    atomic_uint_fast64_t execution_count;
    atomic_uint_fast64_t operation_count; /* sum over those executions */
};

/*
 * The devices an app sees: drivers in manifest order, then halyard-cpu, then nnapi-reference. The
 * list is made once per process, at first use, and lives as long as the process.
 */
struct hy_runtime_device {
    uint32_t index; /* in the list */
    int32_t kind;   /* HALYARD_DEVICE_* of halyard.h */
    uint32_t abi;   /* that the driver was built with */
    const struct hy_device *table;
    void *self; /* first argument of the table's functions */
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    const char *manifest;        /* "" for built-in devices */
    const char *library;         /* "" for built-in devices */
    struct hy_device_work *work; /* never NULL; all else stays as it is */
};

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

/* Never NULL; the two CPU devices are always there. */
const struct hy_device_list *hy_devices(void);

/* True for a handle that is one of the list's; safe for any pointer value. */
int hy_device_is_known(const struct hy_runtime_device *device);

#endif
