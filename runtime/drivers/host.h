#ifndef HY_RUNTIME_HOST_H
#define HY_RUNTIME_HOST_H

#include "halyard/driver.h"
#include "plugins/hosts.h"
#include "runtime/drivers/later.h"

#include <stdatomic.h>

/*
 * What drivers inside this process get from us: each instance a host of its own, which knows whose
 * it is. Thread-safe.
 */
struct hy_runtime_host {
    struct hy_host face; /* its context is the whole */
    char *driver;        /* unique on this machine: "library/first device"; NULL until known */
    char *build;         /* versions and builds of all devices */
    uint32_t user; /* whose records they are: the effective uid when it was made, or another */
    atomic_bool is_known; /* driver and build will not change any more */
    struct hy_later_owner tasks;
};

/* For those who make plugins: hosts for their drivers. */
const struct hy_plugin_hosts *hy_runtime_hosts(void);

/* hy_host.map, for parts of the runtime that stand for a driver. */
int32_t hy_runtime_map(const struct hy_pool *pool, uint32_t protection, void **address);

#endif
