#include "plugins/discovery/search.h"

#include "common/absolute_path.h"
#include "common/array.h"
#include "common/system_code.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXTENSION ".json"

/* The state of a search. */
struct search {
    struct hy_found_list found;
    struct hy_refusal_list *refusals;
    const char *setting; /* variable with the names; "" while directories are searched */
    uint32_t group;
    struct hy_error *err;
};

size_t hy_manifest_name_length(const char *file_name)
{
    size_t length = strlen(file_name), extension = strlen(EXTENSION);
    if (file_name[0] == '.' || length <= extension ||
        strcmp(file_name + length - extension, EXTENSION) != 0)
        return 0;
    return length - extension;
}

static enum hy_code refuse(struct search *search, const char *path, const char *reason)
{
    return hy_refusal_list_add(search->refusals, HY_LOG_WARNING, path, reason, search->err);
}

/* Adds a location without results. */
static enum hy_code add_location(struct search *search, const char *path, bool is_there)
{
    struct hy_searched_list *locations = &search->found.locations;
    struct hy_searched_location *items =
        hy_array_grow(locations->items, locations->count, sizeof *items);
    if (items)
        locations->items = items;
    char *copy = strdup(path);
    if (!items || !copy) {
        free(copy);
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "directory %u for manifests",
                       locations->count);
    }
    items[locations->count++] = (struct hy_searched_location){
        .path = copy, .setting = search->setting, .is_there = is_there};
    return HY_OK;
}

static struct hy_searched_location *last_location(struct search *search)
{
    return &search->found.locations.items[search->found.locations.count - 1];
}

/* Takes ownership of `path`, also when it fails. */
static enum hy_code add(struct search *search, char *path)
{
    struct hy_found_list *found = &search->found;
    if (!path)
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "manifest %u", found->count);
    if (found->count == HY_MAX_MANIFESTS) {
        char reason[64];
        snprintf(reason, sizeof reason, "more than %u manifests were found", HY_MAX_MANIFESTS);
        enum hy_code code = refuse(search, path, reason);
        free(path);
        return code;
    }
    struct hy_found_manifest *items = hy_array_grow(found->items, found->count, sizeof *items);
    if (!items) {
        free(path);
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "manifest %u", found->count);
    }
    found->items = items;
    items[found->count++] = (struct hy_found_manifest){.path = path, .group = search->group};
    return hy_name_list_add(&last_location(search)->manifests, strrchr(path, '/') + 1, search->err);
}

/* The path of a manifest with this file name in an earlier directory of the same group, or NULL. */
static const char *masking_path(const struct search *search, const char *file_name)
{
    for (uint32_t i = 0; i < search->found.count; i++) {
        const struct hy_found_manifest *found = &search->found.items[i];
        if (found->group == search->group && strcmp(strrchr(found->path, '/') + 1, file_name) == 0)
            return found->path;
    }
    return NULL;
}

static enum hy_code add_dir_entry(struct search *search, const char *dir, const char *file_name)
{
    const char *masking = masking_path(search, file_name);
    char *path = NULL;
    if (hy_manifest_name_length(file_name) == 0)
        return HY_OK;
    if (asprintf(&path, "%s/%s", dir, file_name) < 0)
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "path of %s", file_name);
    if (masking) {
        hy_plugins_log(search->refusals->host, HY_LOG_INFO, path, "masked by %s", masking);
        free(path);
        return hy_name_list_add(&last_location(search)->masked, file_name, search->err);
    }
    return add(search, path);
}

/* The failure is temporary and not the directory's fault, so the whole search fails and may be
 * repeated. */
static enum hy_code fail(struct search *search, const char *dir, int reason)
{
    return hy_fail(search->err, hy_system_code(reason, HY_FAILED), "%s: %s", dir, strerror(reason));
}

static enum hy_code add_dir(struct search *search, const char *dir, bool must_exist)
{
    DIR *stream = opendir(dir);
    const int reason = stream ? 0 : errno;
    const bool absent = reason == ENOENT || reason == ENOTDIR;
    enum hy_code code = add_location(search, dir, !absent);
    if (!stream) {
        if (code != HY_OK || (absent && !must_exist))
            return code;
        if (hy_system_code(reason, HY_OK) != HY_OK)
            return fail(search, dir, reason);
        return refuse(search, dir, strerror(reason));
    }
    const struct dirent *entry;
    while (code == HY_OK && (entry = readdir(stream)))
        code = add_dir_entry(search, dir, entry->d_name);
    closedir(stream);
    return code;
}

/* Adds an entry of HALYARD_DRIVER_FILES: a manifest file (with any suffix) or a directory. */
static enum hy_code add_named(struct search *search, const char *name)
{
    char *path = hy_absolute_path(name);
    if (!path && errno != ENOMEM)
        return refuse(search, name, strerror(errno));
    if (!path)
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "path of %s", name);

    struct stat info;
    const bool is_there = stat(path, &info) == 0;
    enum hy_code code;
    if (is_there && S_ISDIR(info.st_mode)) {
        code = add_dir(search, path, true);
    } else {
        code = add_location(search, path, is_there);
        if (code == HY_OK)
            return add(search, path); /* reading the file will report the error */
    }
    free(path);
    return code;
}

static enum hy_code add_named_list(struct search *search, const char *list, const char *setting)
{
    search->setting = setting;
    char *copy = strdup(list ? list : ""), *rest = NULL;
    if (!copy)
        return hy_fail(search->err, HY_OUT_OF_MEMORY, "list of driver files");

    enum hy_code code = HY_OK;
    char *name = strtok_r(copy, ":", &rest);
    for (; name && code == HY_OK; name = strtok_r(NULL, ":", &rest)) {
        code = add_named(search, name);
        search->group++;
    }
    free(copy);
    return code;
}

static enum hy_code add_searched(struct search *search, const char *const *dirs)
{
    search->setting = "";
    enum hy_code code = HY_OK;
    for (; dirs && *dirs && code == HY_OK; dirs++)
        code = add_dir(search, *dirs, false);
    return code;
}

enum hy_code hy_search_manifests(const struct hy_discovery *discovery,
                                 struct hy_refusal_list *refusals, struct hy_found_list *out,
                                 struct hy_error *err)
{
    struct search search = {.refusals = refusals, .err = err};
    const char *named = discovery->driver_files;

    enum hy_code code =
        add_named_list(&search, discovery->add_driver_files, "HALYARD_ADD_DRIVER_FILES");
    if (code == HY_OK)
        code = named && *named ? add_named_list(&search, named, "HALYARD_DRIVER_FILES")
                               : add_searched(&search, discovery->dirs);
    if (code != HY_OK) {
        hy_found_list_finish(&search.found);
        return code;
    }
    *out = search.found;
    return HY_OK;
}

void hy_found_list_finish(struct hy_found_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    hy_searched_list_finish(&list->locations);
    *list = (struct hy_found_list){0};
}

void hy_searched_list_finish(struct hy_searched_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
        hy_name_list_finish(&list->items[i].manifests);
        hy_name_list_finish(&list->items[i].masked);
    }
    free(list->items);
    *list = (struct hy_searched_list){0};
}
