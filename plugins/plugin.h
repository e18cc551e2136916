#ifndef HY_PLUGINS_PLUGIN_H
#define HY_PLUGINS_PLUGIN_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/manifest.h"
#include "plugins/hosts.h"

struct hy_opening_guard;
struct hy_service;
struct hy_service_settings;

/* A driver library with one instance made for one manifest: loaded here, or in a process of its
 * own.
 */
struct hy_plugin;

/* For whom a driver is opened in this process. */
struct hy_plugin_opener {
    const char *driver; /* name of the manifest's file, for the log; "": it is not known */
    const struct hy_opening_guard *guard; /* NULL: none */
};

/*
 * Loads the library at `path` (absolute) as a driver of the manifest's kind, agrees on a version
 * and makes an instance with the manifest's arguments, and a host for it. The opening lasts until
 * hy_plugin_end_opening or hy_plugin_close; till then the path, and what `opener` points to, stay.
 * Errors: HY_FAILED (the library cannot be loaded, create failed, the guard leaves the driver out),
 * HY_BAD_DATA (it is no driver, or a faulty one), HY_OUT_OF_MEMORY; of a support library also what
 * it answers.
 */
HY_MUST_CHECK enum hy_code hy_plugin_open(const char *path, const struct hy_manifest *manifest,
                                          const struct hy_plugin_hosts *hosts,
                                          const struct hy_plugin_opener *opener,
                                          struct hy_plugin **out, struct hy_error *err);

/* The same in a process of its own: nothing of the library comes into this one. Errors: also those
 * of hy_service_open. */
HY_MUST_CHECK enum hy_code hy_plugin_open_isolated(const char *path,
                                                   const struct hy_manifest *manifest,
                                                   const struct hy_plugin_hosts *hosts,
                                                   const struct hy_service_settings *services,
                                                   struct hy_plugin **out, struct hy_error *err);

/* Destroys the instance and unloads the library. NULL is fine. */
void hy_plugin_close(struct hy_plugin *plugin);

/* Part of the opening: the caller is about to call a function of a device, "describe". */
void hy_plugin_enter(const struct hy_plugin *plugin, const char *call);

/* All first calls have been made. */
void hy_plugin_end_opening(struct hy_plugin *plugin);

const char *hy_plugin_name(const struct hy_plugin *plugin); /* of the driver's library */
uint32_t hy_plugin_abi(const struct hy_plugin *plugin);
struct hy_service *hy_plugin_service(const struct hy_plugin *plugin); /* NULL: it is loaded here */
uint32_t hy_plugin_device_count(const struct hy_plugin *plugin);      /* 1..HY_MAX_DEVICES */

/* Asks for one device; its table is not checked yet. Errors: HY_FAILED, HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_plugin_device(const struct hy_plugin *plugin, uint32_t index,
                                            const struct hy_device **table, void **device,
                                            struct hy_error *err);

/* Tells the host of the instance of one of its devices; of the last one. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plugin_note_device(const struct hy_plugin *plugin,
                                                 const struct hy_device_info *info,
                                                 struct hy_error *err);
void hy_plugin_complete(const struct hy_plugin *plugin);

#endif
