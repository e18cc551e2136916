#ifndef HY_RUNTIME_DEVICE_H
#define HY_RUNTIME_DEVICE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdatomic.h>

struct hy_health;
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

/* A device, which may be used from any thread. */
struct hy_runtime_device {
    uint32_t index; /* in the list of devices: drivers/device_list.h */
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

#endif
