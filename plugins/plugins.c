#include "plugins/plugins.h"

#include "common/array.h"
#include "plugins/device_info.h"
#include "plugins/device_table.h"
#include "plugins/discovery/candidate.h"
#include "plugins/discovery/filter.h"
#include "plugins/opening.h"
#include "plugins/plugin.h"
#include "plugins/settings_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An accepted device: the public struct and its copies. */
struct opened_device {
    struct hy_plugin_device face;
    struct hy_device table;
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    char *manifest;
    char *library;
};

struct hy_plugins {
    const struct hy_plugin_hosts *hosts;
    struct hy_refusal_list refusals;
    struct hy_searched_list locations;
    struct hy_plugin **libraries;
    struct opened_device **devices; /* pointers: a public struct must not move */
    uint32_t library_count;
    uint32_t device_count;
    struct hy_name_list manifest_names; /* the next two are valid only during the opening */
    struct hy_name_list device_names;
};

static void device_destroy(struct opened_device *device)
{
    if (!device)
        return;
    hy_device_info_finish(&device->info);
    hy_device_capabilities_finish(&device->capabilities);
    free(device->manifest);
    free(device->library);
    free(device);
}

/* ---- One device ------------------------------------------------------------------------------ */

/* Queries the device's info and capabilities and checks the replies. */
static enum hy_code question(struct opened_device *device, const struct hy_plugin *plugin,
                             uint32_t index, struct hy_error *err)
{
    const struct hy_device *table = NULL;
    enum hy_code code = hy_plugin_device(plugin, index, &table, &device->face.device, err);
    if (code == HY_OK)
        code = hy_device_table_copy(table, &device->table, err);
    if (code == HY_OK) {
        hy_plugin_enter(plugin, "describe");
        code = hy_device_info_ask(&device->table, device->face.device, &device->info, err);
    }
    if (code == HY_OK) {
        hy_plugin_enter(plugin, "capabilities");
        code = hy_device_capabilities_ask(&device->table, device->face.device,
                                          &device->capabilities, err);
    }
    return code;
}

/* Apps identify a device by its name: the first device with a name gets the name. */
static enum hy_code check_name(const struct hy_plugins *plugins,
                               const struct hy_discovery *discovery, const char *name,
                               const char *manifest, struct hy_error *err)
{
    const char *const *reserved = discovery->reserved_names;
    for (; reserved && *reserved; reserved++) {
        if (strcmp(*reserved, name) == 0)
            return hy_fail(err, HY_BAD_DATA, "device name %s is reserved for a built-in device",
                           name);
    }
    for (uint32_t i = 0; i < plugins->device_count; i++) {
        const struct hy_plugin_device *other = &plugins->devices[i]->face;
        if (strcmp(other->info->name, name) == 0)
            return hy_fail(err, HY_BAD_DATA, "device name %s of %s is already used by %s", name,
                           manifest, other->manifest);
    }
    return HY_OK;
}

/* Returns the filter that excludes a device, or NULL. */
static const char *filter_against(const struct hy_discovery *discovery, const char *manifest_name,
                                  const char *device_name)
{
    if (hy_filter_matches(discovery->disable, device_name))
        return "disabled by HALYARD_DRIVERS_DISABLE";
    if (hy_filter_is_empty(discovery->select) ||
        hy_filter_matches(discovery->select, manifest_name) ||
        hy_filter_matches(discovery->select, device_name))
        return NULL;
    return "not selected by HALYARD_DRIVERS_SELECT";
}

/* Moves the device into the list. */
static enum hy_code append_device(struct hy_plugins *plugins, struct opened_device **device,
                                  const struct hy_candidate *candidate,
                                  const struct hy_plugin *plugin, struct hy_error *err)
{
    struct opened_device *opened = *device;
    struct opened_device **devices =
        hy_array_grow(plugins->devices, plugins->device_count, sizeof(struct opened_device *));
    if (devices)
        plugins->devices = devices;
    opened->manifest = strdup(candidate->path);
    opened->library = strdup(candidate->library);
    if (!devices || !opened->manifest || !opened->library)
        return hy_fail(err, HY_OUT_OF_MEMORY, "device %s", opened->info.name);

    opened->face.table = &opened->table;
    opened->face.info = &opened->info;
    opened->face.capabilities = &opened->capabilities;
    opened->face.manifest = opened->manifest;
    opened->face.library = opened->library;
    opened->face.abi = hy_plugin_abi(plugin);
    opened->face.service = hy_plugin_service(plugin);
    devices[plugins->device_count++] = opened;
    *device = NULL;

    const char *driver_name = candidate->manifest.name;
    hy_plugins_log(plugins->refusals.host, HY_LOG_INFO, candidate->path,
                   "device %s, version %s, from %s%s%s", opened->info.name, opened->info.version,
                   candidate->library, *driver_name ? ": " : "", driver_name);
    return HY_OK;
}

static enum hy_code refuse_device(struct hy_plugins *plugins, const struct hy_candidate *candidate,
                                  const struct hy_plugin *plugin, uint32_t index,
                                  struct hy_error *failure, struct hy_error *err)
{
    if (hy_plugin_device_count(plugin) > 1)
        hy_error_prefix(failure, failure->code, "device %u", index);
    return hy_refusal_list_absorb(&plugins->refusals, candidate->path, failure, err);
}

/* Adds the device to the list, which then owns the device, and sets `*device` to NULL; or refuses
 * the device. */
static enum hy_code admit(struct hy_plugins *plugins, const struct hy_discovery *discovery,
                          const struct hy_candidate *candidate, const struct hy_plugin *plugin,
                          uint32_t index, struct opened_device **device, struct hy_error *err)
{
    struct hy_error failure;
    if (question(*device, plugin, index, &failure) != HY_OK)
        return refuse_device(plugins, candidate, plugin, index, &failure, err);

    enum hy_code code = hy_plugin_note_device(plugin, &(*device)->info, err);
    if (code != HY_OK)
        return code;
    const char *name = (*device)->info.name;
    code = hy_name_list_add(&plugins->device_names, name, err);
    if (code != HY_OK)
        return code;
    const char *filter = filter_against(discovery, candidate->name, name);
    if (filter) {
        char reason[HY_ERROR_TEXT_SIZE];
        snprintf(reason, sizeof reason, "device %s: %s", name, filter);
        return hy_refusal_list_add(&plugins->refusals, HY_LOG_INFO, candidate->path, reason, err);
    }
    if (check_name(plugins, discovery, name, candidate->path, &failure) != HY_OK)
        return refuse_device(plugins, candidate, plugin, index, &failure, err);
    return append_device(plugins, device, candidate, plugin, err);
}

static enum hy_code open_device(struct hy_plugins *plugins, const struct hy_discovery *discovery,
                                const struct hy_candidate *candidate,
                                const struct hy_plugin *plugin, uint32_t index,
                                struct hy_error *err)
{
    struct opened_device *device = calloc(1, sizeof *device);
    if (!device)
        return hy_fail(err, HY_OUT_OF_MEMORY, "device %u of %s", index, candidate->path);
    enum hy_code code = admit(plugins, discovery, candidate, plugin, index, &device, err);
    device_destroy(device); /* NULL if admitted */
    return code;
}

/* ---- One library ----------------------------------------------------------------------------- */

static enum hy_code open_devices(struct hy_plugins *plugins, const struct hy_discovery *discovery,
                                 const struct hy_candidate *candidate,
                                 const struct hy_plugin *plugin, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    uint32_t count = hy_plugin_device_count(plugin);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = open_device(plugins, discovery, candidate, plugin, i, err);
    if (code == HY_OK)
        hy_plugin_complete(plugin);
    return code;
}

static enum hy_code open_library(struct hy_plugins *plugins, const struct hy_discovery *discovery,
                                 struct hy_candidate *candidate, struct hy_openings *openings,
                                 uint32_t index, struct hy_error *err)
{
    struct hy_plugin *plugin = NULL;
    struct hy_error failure;
    if (hy_openings_claim(openings, index, &plugin, &failure) != HY_OK)
        return hy_refusal_list_absorb(&plugins->refusals, candidate->path, &failure, err);

    /* The library is listed before its devices are created, so it is always closed after the
     * devices. */
    struct hy_plugin **libraries =
        hy_array_grow(plugins->libraries, plugins->library_count, sizeof(struct hy_plugin *));
    if (!libraries) {
        hy_plugin_close(plugin);
        return hy_fail(err, HY_OUT_OF_MEMORY, "library %s", candidate->library);
    }
    plugins->libraries = libraries;
    libraries[plugins->library_count++] = plugin;

    uint32_t before = plugins->device_count;
    enum hy_code code = open_devices(plugins, discovery, candidate, plugin, err);
    candidate->is_open = plugins->device_count > before;
    if (code == HY_OK && !candidate->is_open) {
        plugins->library_count--; /* the library has no device in use */
        hy_plugin_close(plugin);
    } else {
        hy_plugin_end_opening(plugin);
    }
    return code;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Includes disabled and unreadable manifests, because a setting may name them. */
static enum hy_code list_names(struct hy_plugins *plugins, const struct hy_found_list *found,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < found->count; i++) {
        char *name = hy_manifest_name(found->items[i].path);
        code = name ? hy_name_list_add(&plugins->manifest_names, name, err)
                    : hy_fail(err, HY_OUT_OF_MEMORY, "name of %s", found->items[i].path);
        free(name);
    }
    return code;
}

static enum hy_code find_candidates(struct hy_plugins *plugins,
                                    const struct hy_discovery *discovery,
                                    struct hy_candidate_list *out, struct hy_error *err)
{
    struct hy_found_list found = {0};
    enum hy_code code = hy_search_manifests(discovery, &plugins->refusals, &found, err);
    if (code == HY_OK)
        code = list_names(plugins, &found, err);
    if (code == HY_OK)
        code = hy_candidates_read(discovery, &found, &plugins->refusals, out, err);
    plugins->locations = found.locations;
    found.locations = (struct hy_searched_list){0};
    hy_found_list_finish(&found);
    return code;
}

static enum hy_code open_all(struct hy_plugins *plugins, const struct hy_discovery *discovery,
                             struct hy_error *err)
{
    struct hy_candidate_list candidates = {0};
    struct hy_openings *openings = NULL;
    enum hy_code code = find_candidates(plugins, discovery, &candidates, err);
    if (code == HY_OK)
        code = hy_openings_begin(discovery, &candidates, plugins->hosts, &openings, err);
    for (uint32_t i = 0; i < candidates.count && code == HY_OK; i++)
        code = open_library(plugins, discovery, &candidates.items[i], openings, i, err);
    hy_openings_end(openings);
    if (code == HY_OK)
        code = hy_settings_check(discovery, &plugins->manifest_names, &plugins->device_names,
                                 &plugins->refusals, err);
    hy_name_list_finish(&plugins->device_names);
    hy_name_list_finish(&plugins->manifest_names);
    hy_candidate_list_finish(&candidates);
    return code;
}

enum hy_code hy_plugins_open(const struct hy_discovery *discovery,
                             const struct hy_plugin_hosts *hosts, struct hy_plugins **out,
                             struct hy_error *err)
{
    struct hy_plugins *plugins = calloc(1, sizeof *plugins);
    if (!plugins)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of drivers");
    plugins->hosts = hosts;
    plugins->refusals.host = hosts->common;

    enum hy_code code = open_all(plugins, discovery, err);
    if (code != HY_OK) {
        hy_plugins_close(plugins);
        return code;
    }
    *out = plugins;
    return HY_OK;
}

void hy_plugins_close(struct hy_plugins *plugins)
{
    if (!plugins)
        return;
    for (uint32_t i = 0; i < plugins->device_count; i++)
        device_destroy(plugins->devices[i]);
    for (uint32_t i = 0; i < plugins->library_count; i++)
        hy_plugin_close(plugins->libraries[i]);
    hy_refusal_list_finish(&plugins->refusals);
    hy_searched_list_finish(&plugins->locations);
    free(plugins->devices);
    free(plugins->libraries);
    free(plugins);
}

uint32_t hy_plugins_device_count(const struct hy_plugins *plugins)
{
    return plugins->device_count;
}

const struct hy_plugin_device *hy_plugins_device(const struct hy_plugins *plugins, uint32_t index)
{
    return &plugins->devices[index]->face;
}

uint32_t hy_plugins_refusal_count(const struct hy_plugins *plugins)
{
    return plugins->refusals.count;
}

const struct hy_plugin_refusal *hy_plugins_refusal(const struct hy_plugins *plugins, uint32_t index)
{
    return &plugins->refusals.items[index];
}

uint32_t hy_plugins_location_count(const struct hy_plugins *plugins)
{
    return plugins->locations.count;
}

const struct hy_searched_location *hy_plugins_location(const struct hy_plugins *plugins,
                                                       uint32_t index)
{
    return &plugins->locations.items[index];
}
