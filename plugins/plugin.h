#ifndef HY_PLUGINS_PLUGIN_H
#define HY_PLUGINS_PLUGIN_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/manifest.h"
#include "plugins/hosts.h"

struct hy_opening_guard;
struct hy_service;
struct hy_service_settings;

/* A driver library with one instance for one manifest, loaded in this process or in a service
 * process. */
struct hy_plugin;

/* Names the driver for logs and the guard while the driver opens in this process. */
struct hy_plugin_opener {
    const char *driver; /* name of the manifest's file, for the log; "": unknown */
    const struct hy_opening_guard *guard; /* NULL: none */
};

/*
 * Loads the library at `path` (absolute) as a driver of the manifest's kind, negotiates the
 * version, creates a host for the driver and creates an instance with the manifest's arguments. The
 * opening lasts until hy_plugin_end_opening or hy_plugin_close; `path` and the members of `opener`
 * must stay valid until the opening ends. Errors: HY_FAILED (the library cannot be loaded, create
 * failed, or the guard refuses the driver), HY_BAD_DATA (the library is not a driver, or a faulty
 * driver), HY_OUT_OF_MEMORY; for a support library also the library's own codes.
 */
HY_MUST_CHECK enum hy_code hy_plugin_open(const char *path, const struct hy_manifest *manifest,
                                          const struct hy_plugin_hosts *hosts,
                                          const struct hy_plugin_opener *opener,
                                          struct hy_plugin **out, struct hy_error *err);

/* Opens the driver in a service process; nothing of the library is loaded into this process.
 * Errors: those of hy_plugin_open and hy_service_open. */
HY_MUST_CHECK enum hy_code hy_plugin_open_isolated(const char *path,
                                                   const struct hy_manifest *manifest,
                                                   const struct hy_plugin_hosts *hosts,
                                                   const struct hy_service_settings *services,
                                                   struct hy_plugin **out, struct hy_error *err);

/* Destroys the instance and unloads the library. Accepts NULL. */
void hy_plugin_close(struct hy_plugin *plugin);

/* Reports, during the opening, that the caller is about to call the function `call` of a device,
 * for example "describe". */
void hy_plugin_enter(const struct hy_plugin *plugin, const char *call);

/* Ends the opening: all first calls have returned. */
void hy_plugin_end_opening(struct hy_plugin *plugin);

const char *hy_plugin_name(const struct hy_plugin *plugin); /* of the driver's library */
uint32_t hy_plugin_abi(const struct hy_plugin *plugin);
struct hy_service *hy_plugin_service(const struct hy_plugin *plugin); /* NULL: none */
uint32_t hy_plugin_device_count(const struct hy_plugin *plugin);      /* 1..HY_MAX_DEVICES */

/* Gets one device from the driver. The table is not checked yet: see hy_device_table_copy. Errors:
 * HY_FAILED, HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_plugin_device(const struct hy_plugin *plugin, uint32_t index,
                                            const struct hy_device **table, void **device,
                                            struct hy_error *err);

/* Reports a device to the host of the instance (hy_plugin_hosts.note_device). After the last device
 * hy_plugin_complete calls hy_plugin_hosts.complete. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plugin_note_device(const struct hy_plugin *plugin,
                                                 const struct hy_device_info *info,
                                                 struct hy_error *err);
void hy_plugin_complete(const struct hy_plugin *plugin);

#endif
