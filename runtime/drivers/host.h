#ifndef HY_RUNTIME_HOST_H
#define HY_RUNTIME_HOST_H

#include "halyard/driver.h"
#include "plugins/hosts.h"
#include "runtime/drivers/background.h"

#include <stdatomic.h>

/*
 * The host for drivers of the calling process. Each driver instance gets its own host, to identify
 * the driver. Thread-safe.
 */
struct hy_runtime_host {
    struct hy_host face;  /* the context is this struct */
    char *driver;         /* unique on this machine: "library/first device"; NULL until known */
    char *build;          /* versions and builds of all devices */
    uint32_t user;        /* owner of the records: effective uid at creation, or another uid */
    atomic_bool is_known; /* true: driver and build are final */
    struct hy_background_owner tasks;
};

/* Host functions for the code that opens plugins. */
const struct hy_plugin_hosts *hy_runtime_hosts(void);

/* hy_host.map for parts of the runtime acting as a driver. */
int32_t hy_runtime_map(const struct hy_pool *pool, uint32_t protection, void **address);

#endif
