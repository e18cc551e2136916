#include "driverd/manifest_by_name.h"

#include "common/near_name.h"
#include "plugins/discovery/search.h"
#include "runtime/drivers/host.h"
#include "runtime/drivers/manifest_dirs.h"
#include "runtime/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was found, by name: those of the list behind one another, without ".json". */
struct names {
    struct hy_found_list found;
    char **items;
};

static void finish(struct names *names)
{
    for (uint32_t i = 0; names->items && i < names->found.count; i++)
        free(names->items[i]);
    free(names->items);
    hy_found_list_finish(&names->found);
}

/* Files that the environment names count whatever their name ends in. */
static char *name_of(const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    const size_t length = hy_manifest_name_length(file);

    return strndup(file, length > 0 ? length : strlen(file));
}

/* As hy_search_manifests is asked by an app: folders that cannot be read are told in the log. */
static enum hy_code search(struct names *names, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    struct hy_refusal_list refusals = {.host = hy_runtime_hosts()->common};
    char **dirs = NULL;

    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    enum hy_code code = hy_manifest_dirs_create(&dirs, err);
    if (code != HY_OK)
        return code;
    const struct hy_discovery discovery = {
        .dirs = (const char *const *)dirs,
        .driver_files = environment->driver_files,
        .add_driver_files = environment->add_driver_files,
    };
    code = hy_search_manifests(&discovery, &refusals, &names->found, err);
    hy_refusal_list_finish(&refusals);
    hy_discovery_dirs_destroy(dirs);
    return code;
}

static enum hy_code read_names(struct names *names, struct hy_error *err)
{
    enum hy_code code = search(names, err);
    if (code != HY_OK)
        return code;
    names->items = calloc(names->found.count + (size_t)1, sizeof *names->items);
    for (uint32_t i = 0; names->items && i < names->found.count; i++) {
        names->items[i] = name_of(names->found.items[i].path);
        if (!names->items[i])
            return hy_fail(err, HY_OUT_OF_MEMORY, "names of manifests");
    }
    return names->items ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "names of manifests");
}

static enum hy_code fail_to_find(const struct names *names, const char *name, struct hy_error *err)
{
    const char *near = hy_near_name(name, (const char *const *)names->items, names->found.count);

    return near ? hy_fail(err, HY_BAD_DATA,
                          "no manifest has the name %.64s.json; did you mean %.64s?", name, near)
                : hy_fail(err, HY_BAD_DATA,
                          "no manifest has the name %.64s.json; 'halyard devices' lists the "
                          "searched directories",
                          name);
}

static enum hy_code pick(const struct names *names, const char *name, char **ret,
                         struct hy_error *err)
{
    for (uint32_t i = 0; i < names->found.count; i++) {
        if (strcmp(names->items[i], name) != 0)
            continue;
        *ret = strdup(names->found.items[i].path);
        return *ret ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "path of a manifest");
    }
    return fail_to_find(names, name, err);
}

enum hy_code hy_driverd_find_manifest(const char *name, char **ret, struct hy_error *err)
{
    struct names names = {0};

    enum hy_code code = read_names(&names, err);
    if (code == HY_OK)
        code = pick(&names, name, ret, err);
    finish(&names);
    return code;
}

enum hy_code hy_driverd_list_manifests(struct hy_error *err)
{
    struct names names = {0};

    enum hy_code code = read_names(&names, err);
    for (uint32_t i = 0; code == HY_OK && i < names.found.count; i++)
        printf("%s\n", names.items[i]);
    finish(&names);
    return code;
}
