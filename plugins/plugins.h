#ifndef HY_PLUGINS_PLUGINS_H
#define HY_PLUGINS_PLUGINS_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/discovery.h"
#include "plugins/hosts.h"

/*
 * The drivers of this machine: discovery by manifest, loading, version negotiation and checks.
 * docs/manifest.md specifies manifests.
 *
 * Devices keep the order of their manifests: first HALYARD_ADD_DRIVER_FILES as listed, then the
 * others by (priority, file name). All results of accessors live until hy_plugins_close and never
 * change, so any thread may use them.
 */
struct hy_plugins;
struct hy_searched_location; /* discovery/search.h */
struct hy_service;

struct hy_plugin_device {
    /* A copy of the driver's functions, zero-filled to the full size of struct hy_device. All
     * required members are set; optional groups are complete or absent. */
    const struct hy_device *table;
    void *device; /* first argument of the table's functions */

    /* Checked copies of the results of describe and capabilities, strings and arrays included. */
    const struct hy_device_info *info;
    const struct hy_capabilities *capabilities;

    const char *manifest; /* path of the manifest file */
    const char *library;  /* path of the library */
    uint32_t abi;         /* of driver.h with which the driver was built */

    /* The service process of the driver (service/client/service.h); NULL: the driver runs in this
     * process. Several devices of one driver share a service. */
    struct hy_service *service;
};

/* A manifest, or a device of a manifest, that cannot be used. Every refusal is also logged: as
 * information if the user filtered the driver out, else as a warning. */
struct hy_plugin_refusal {
    const char *manifest; /* path of the manifest, or of the unreadable directory */
    const char *reason;   /* one line with the member, the values and the loader's error text */
};

/*
 * Finds and opens all drivers. A faulty driver never fails the call: the driver is skipped and
 * listed as a refusal. `hosts` must outlive the result. Errors: HY_OUT_OF_MEMORY, HY_EXHAUSTED (no
 * descriptors left).
 */
HY_MUST_CHECK enum hy_code hy_plugins_open(const struct hy_discovery *discovery,
                                           const struct hy_plugin_hosts *hosts,
                                           struct hy_plugins **out, struct hy_error *err);

/* Destroys the driver instances and unloads the libraries. All objects made through the devices
 * must have been destroyed. Accepts NULL. */
void hy_plugins_close(struct hy_plugins *plugins);

uint32_t hy_plugins_device_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_plugin_device *hy_plugins_device(const struct hy_plugins *plugins, uint32_t index);

uint32_t hy_plugins_refusal_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_plugin_refusal *hy_plugins_refusal(const struct hy_plugins *plugins,
                                                   uint32_t index);

/* Counts the directories and files searched for manifests; hy_plugins_location returns them in
 * search order. */
uint32_t hy_plugins_location_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_searched_location *hy_plugins_location(const struct hy_plugins *plugins,
                                                       uint32_t index);

#endif
