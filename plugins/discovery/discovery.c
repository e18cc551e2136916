#include "plugins/discovery/discovery.h"

#include "common/array.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVERS_D "/halyard/drivers.d"

/* A growing list of directories. The entry behind the last is NULL. */
struct dir_list {
    char **paths;
    uint32_t count;
};

/* Appends base + middle + "/halyard/drivers.d"; `length` is the length of base. A base that is not
 * absolute is skipped, and so is a directory already in the list. */
static bool append_part(struct dir_list *list, const char *base, size_t length, const char *middle)
{
    char *dir = NULL;
    if (length == 0 || base[0] != '/')
        return true;
    if (asprintf(&dir, "%.*s%s" DRIVERS_D, (int)length, base, middle) < 0)
        return false;

    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->paths[i], dir) == 0) {
            free(dir);
            return true;
        }
    }
    char **paths = hy_array_grow(list->paths, list->count, sizeof *paths);
    if (!paths) {
        free(dir);
        return false;
    }
    paths[list->count++] = dir;
    list->paths = paths;
    return true;
}

static bool append(struct dir_list *list, const char *base, const char *middle)
{
    return append_part(list, base, base ? strlen(base) : 0, middle);
}

/* Appends the directory of the XDG variable, or the default below the home directory. */
static bool append_user(struct dir_list *list, const char *xdg, const char *home,
                        const char *middle)
{
    return xdg && xdg[0] == '/' ? append(list, xdg, "") : append(list, home, middle);
}

/* Appends each directory of a ':' list. */
static bool append_list(struct dir_list *list, const char *dirs, const char *otherwise)
{
    const char *next = dirs && *dirs ? dirs : otherwise;
    bool done = true;

    while (done && *next) {
        const size_t length = strcspn(next, ":");
        done = append_part(list, next, length, "");
        next += length + (next[length] == ':');
    }
    return done;
}

static bool end(struct dir_list *list)
{
    char **paths = hy_array_grow(list->paths, list->count, sizeof *paths);
    if (!paths)
        return false;
    paths[list->count] = NULL;
    list->paths = paths;
    return true;
}

enum hy_code hy_discovery_dirs_create(const struct hy_discovery_environment *environment,
                                      char ***out, struct hy_error *err)
{
    const char *home = environment->home;
    struct dir_list list = {0};
    const bool done =
        append_user(&list, environment->xdg_config_home, home, "/.config") &&
        append_list(&list, environment->xdg_config_dirs, "/etc/xdg") &&
        append(&list, environment->sysconf_dir, "") && append(&list, "/etc", "") &&
        append_user(&list, environment->xdg_data_home, home, "/.local/share") &&
        append(&list, environment->data_dir, "") &&
        append_list(&list, environment->xdg_data_dirs, "/usr/local/share:/usr/share") && end(&list);
    if (!done) {
        for (uint32_t i = 0; i < list.count; i++)
            free(list.paths[i]);
        free(list.paths);
        return hy_fail(err, HY_OUT_OF_MEMORY, "driver directory %u", list.count);
    }
    *out = list.paths;
    return HY_OK;
}

void hy_discovery_dirs_destroy(char **paths)
{
    if (!paths)
        return;
    for (char **dir = paths; *dir; dir++)
        free(*dir);
    free(paths);
}
