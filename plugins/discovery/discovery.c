#include "plugins/discovery/discovery.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLDER_COUNT 6
#define DRIVERS_D    "/halyard/drivers.d"

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

/* Appends base + middle + "/halyard/drivers.d"; a base that is not set is left out. */
static bool append(char **folders, size_t *count, const char *base, const char *middle)
{
    if (!is_absolute(base))
        return true;
    if (asprintf(&folders[*count], "%s%s%s", base, middle, DRIVERS_D) < 0) {
        folders[*count] = NULL;
        return false;
    }
    ++*count;
    return true;
}

/* The XDG variable, or the folder of the home directory that stands in for it. */
static bool append_user(char **folders, size_t *count, const char *xdg, const char *home,
                        const char *middle)
{
    return is_absolute(xdg) ? append(folders, count, xdg, "")
                            : append(folders, count, home, middle);
}

enum hy_code hy_discovery_folders_create(const struct hy_discovery_environment *environment,
                                         char ***out, struct hy_error *err)
{
    char **folders = calloc(FOLDER_COUNT + 1, sizeof *folders);
    if (!folders)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of driver folders");

    const char *home = environment->home;
    size_t count = 0;
    bool done = append_user(folders, &count, environment->xdg_config_home, home, "/.config") &&
                append(folders, &count, "/etc/xdg", "") && append(folders, &count, "/etc", "") &&
                append_user(folders, &count, environment->xdg_data_home, home, "/.local/share") &&
                append(folders, &count, "/usr/local/share", "") &&
                append(folders, &count, "/usr/share", "");
    if (!done) {
        hy_discovery_folders_destroy(folders);
        return hy_fail(err, HY_OUT_OF_MEMORY, "driver folder %zu", count);
    }
    *out = folders;
    return HY_OK;
}

void hy_discovery_folders_destroy(char **folders)
{
    if (!folders)
        return;
    for (char **folder = folders; *folder; folder++)
        free(*folder);
    free(folders);
}
