#ifndef HY_RUNTIME_RUNTIME_DEVICE_H
#define HY_RUNTIME_RUNTIME_DEVICE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdatomic.h>

struct hy_health;
struct hy_profile;
struct hy_service;

/* Counts of the steps that a device has completed without an error since the process began. For the
 * complete counts see work.h. */
struct hy_device_work {
    atomic_uint_fast64_t execution_count;
    atomic_uint_fast64_t operation_count; /* sum over the counted executions */
};

/* The kind of internal devices. Internal devices appear in plans but not in the device list; the
 * runtime itself does their work. */
#define HY_DEVICE_HIDDEN (-1)

/* A device. Any thread may use the struct. */
struct hy_runtime_device {
    uint32_t index; /* in the list of devices: drivers/device_list.h */
    int32_t kind;   /* HALYARD_DEVICE_* of halyard.h; HY_DEVICE_HIDDEN */
    uint32_t abi;   /* ABI version of the driver's build */
    const struct hy_device *table;
    void *self; /* first argument of the table's functions */
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    struct hy_service *service;       /* the service process; NULL: this process */
    const char *manifest;             /* "" for built-in devices */
    const char *library;              /* "" for built-in devices */
    struct hy_device_work *work;      /* never NULL; only `work` and `health` change */
    struct hy_health *health;         /* NULL: no quarantine */
    const struct hy_profile *profile; /* measured times of the device, or NULL */
};

#endif
