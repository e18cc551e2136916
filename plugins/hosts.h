#ifndef HY_PLUGINS_HOSTS_H
#define HY_PLUGINS_HOSTS_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Creates the hosts that drivers call back. Every driver instance gets a host of its own, so the
 * host knows which instance calls.
 */
struct hy_plugin_hosts {
    /* Receives log lines of discovery and loading; outlives all drivers. Without `create`, all
     * drivers share this host. */
    const struct hy_host *common;

    /* Returns a new host, valid until `destroy`; NULL: out of memory. If `create` is set, the
     * members below are set too. */
    const struct hy_host *(*create)(void);
    /* Like `create`, but the host stores data for `user` instead of the user of this process. A
     * shared service uses one such host per user. NULL: no storage for other users. */
    const struct hy_host *(*create_for)(uint32_t user);
    /* Reports one device of the instance with its description. Called once per device, in order.
     * Returns false when out of memory. */
    bool (*note_device)(const struct hy_host *host, const char *driver,
                        const struct hy_device_info *info);
    /* Reports that all devices of the instance have been noted. */
    void (*complete)(const struct hy_host *host);
    /* Called before the instance is destroyed: runs waiting tasks of hy_host.later, waits for a
     * running task and accepts no further tasks. The library is therefore never unloaded while a
     * task runs. */
    void (*end_tasks)(const struct hy_host *host);
    void (*destroy)(const struct hy_host *host); /* after the instance is destroyed; accepts NULL */
};

#endif
