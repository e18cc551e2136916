#ifndef HY_PLUGINS_PLUGINS_H
#define HY_PLUGINS_PLUGINS_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/discovery.h"
#include "plugins/hosts.h"

/*
 * The drivers of this machine: found by their manifests, loaded, negotiated with and checked.
 * Manifests are specified in docs/manifest.md.
 *
 * Devices stand in the order of their manifests: those of HALYARD_ADD_DRIVER_FILES as listed, then
 * the others by (priority, file name). What an accessor gives lives until hy_plugins_close and
 * never changes, so any thread may use it.
 */
struct hy_plugins;
struct hy_searched_place; /* discovery/search.h */
struct hy_service;

struct hy_plugin_device {
    /* The driver's functions: a copy, zero-filled to the full size of struct hy_device, whose
     * required members are there and whose optional groups are whole or absent. */
    const struct hy_device *table;
    void *device; /* first argument of the table's functions */

    /* Checked copies of what describe and capabilities said, strings and arrays included. */
    const struct hy_device_info *info;
    const struct hy_capabilities *capabilities;

    const char *manifest; /* path of the manifest file */
    const char *library;  /* path of the library */
    uint32_t abi;         /* that the driver was built with */

    /* The process of the driver (service/client/service.h); NULL: it is this one. Several devices
     * of one driver share it. */
    struct hy_service *service;
};

/* A manifest, or a device of it, that cannot be used. Every one was also logged as a warning (as
 * information if it was the user who filtered it out). */
struct hy_plugin_refusal {
    const char *manifest; /* path of the manifest, or of the folder that could not be read */
    const char *reason;   /* one line that names the member, the numbers and the loader's words */
};

/*
 * Finds and opens all drivers. A bad driver never fails the call: it is skipped and listed among
 * the refusals. The only errors are HY_OUT_OF_MEMORY and HY_EXHAUSTED (no descriptors are left,
 * which says nothing of the drivers). `hosts` must outlive the result.
 */
HY_MUST_CHECK enum hy_code hy_plugins_open(const struct hy_discovery *discovery,
                                           const struct hy_plugin_hosts *hosts,
                                           struct hy_plugins **out, struct hy_error *err);

/* Destroys the driver instances and unloads the libraries. Everything made through the devices must
 * be gone. NULL is fine. */
void hy_plugins_close(struct hy_plugins *plugins);

uint32_t hy_plugins_device_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_plugin_device *hy_plugins_device(const struct hy_plugins *plugins, uint32_t index);

uint32_t hy_plugins_refusal_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_plugin_refusal *hy_plugins_refusal(const struct hy_plugins *plugins,
                                                   uint32_t index);

/* Where manifests were looked for, in order. */
uint32_t hy_plugins_place_count(const struct hy_plugins *plugins);

/* `index` must be below the count. */
const struct hy_searched_place *hy_plugins_place(const struct hy_plugins *plugins, uint32_t index);

#endif
