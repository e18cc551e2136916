#ifndef HY_RUNTIME_DEVICE_H
#define HY_RUNTIME_DEVICE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdatomic.h>

struct hy_health;
struct hy_plugins;
struct hy_profile;
struct hy_service;

/* What a device has done since the process began: steps that it ended without an error. That is
 * only a part of it, see work.h. */
struct hy_device_work {
    atomic_uint_fast64_t execution_count;
    atomic_uint_fast64_t operation_count; /* sum over those executions */
};

/* The kind of devices that are in plans, but not in the list: the runtime itself is at work. */
#define HY_DEVICE_HIDDEN (-1)

/*
 * The devices an app sees: drivers in manifest order, then halyard-cpu, then nnapi-reference. The
 * list is made once per process, at first use, and lives as long as the process. All of it may be
 * used from any thread.
 */
struct hy_runtime_device {
    uint32_t index; /* in the list */
    int32_t kind;   /* HALYARD_DEVICE_* of halyard.h; HY_DEVICE_HIDDEN */
    uint32_t abi;   /* that the driver was built with */
    const struct hy_device *table;
    void *self; /* first argument of the table's functions */
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    struct hy_service *service;       /* its process; NULL: this one */
    const char *manifest;             /* "" for built-in devices */
    const char *library;              /* "" for built-in devices */
    struct hy_device_work *work;      /* never NULL; this and `health` alone change */
    struct hy_health *health;         /* NULL: it is never left out */
    const struct hy_profile *profile; /* times measured on it, or NULL */
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

/* The two CPU devices are always there. NULL: there is no memory, or no descriptor, to make the
 * list, and the next call tries again. */
const struct hy_device_list *hy_devices(void);

/* Why this thread's last call gave none: OUT_OF_MEMORY or EXHAUSTED. */
enum hy_code hy_devices_failure(void);

/* Leaves the list with the CPU devices alone. HY_BAD_STATE: it is there already. */
HY_MUST_CHECK enum hy_code hy_devices_disable_drivers(struct hy_error *err);

/* True for a handle that is one of the list's; safe for any pointer value. */
int hy_device_is_known(const struct hy_runtime_device *device);

#endif
