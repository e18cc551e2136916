#ifndef HY_PLUGINS_HOSTS_H
#define HY_PLUGINS_HOSTS_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Where hosts for drivers come from. Every instance of a driver gets one of its own, so that its
 * host can tell whose calls it serves.
 */
struct hy_plugin_hosts {
    /* Takes what the search and the loading have to log; outlives everything. Without `create`,
     * all drivers get this one. */
    const struct hy_host *common;

    /* NULL: no memory. Lives until destroy. The members below are there with this one. */
    const struct hy_host *(*create)(void);
    /* The same, but what it keeps is another user's than the one this process runs as: a service
     * does so for its clients. NULL: it keeps nothing for others. */
    const struct hy_host *(*create_for)(uint32_t user);
    /* A device of the instance, as it describes itself; each once, in order. False: no memory. */
    bool (*note_device)(const struct hy_host *host, const char *driver,
                        const struct hy_device_info *info);
    /* There are no more of them. */
    void (*complete)(const struct hy_host *host);
    /* The instance goes: tasks of hy_host.later that wait are run, one that runs is waited for, and
     * no other is taken. So the library is not unloaded under one. */
    void (*end_tasks)(const struct hy_host *host);
    void (*destroy)(const struct hy_host *host); /* after the instance; takes NULL */
};

#endif
