#include "plugins/discovery/discovery.h"

#include "common/array.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVERS_D "/halyard/drivers.d"

/* A growing list of directories. The entry behind the last is NULL. */
struct folder_list {
    char **folders;
    uint32_t count;
};

/* Appends base + middle + "/halyard/drivers.d"; `length` is the length of base. A base that is not
 * absolute is skipped, and so is a directory already in the list. */
static bool append_part(struct folder_list *list, const char *base, size_t length,
                        const char *middle)
{
    char *folder = NULL;
    if (length == 0 || base[0] != '/')
        return true;
    if (asprintf(&folder, "%.*s%s" DRIVERS_D, (int)length, base, middle) < 0)
        return false;

    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->folders[i], folder) == 0) {
            free(folder);
            return true;
        }
    }
    char **folders = hy_array_grow(list->folders, list->count, sizeof *folders);
    if (!folders) {
        free(folder);
        return false;
    }
    folders[list->count++] = folder;
    list->folders = folders;
    return true;
}

static bool append(struct folder_list *list, const char *base, const char *middle)
{
    return append_part(list, base, base ? strlen(base) : 0, middle);
}

/* Appends the directory of the XDG variable, or the default below the home directory. */
static bool append_user(struct folder_list *list, const char *xdg, const char *home,
                        const char *middle)
{
    return xdg && xdg[0] == '/' ? append(list, xdg, "") : append(list, home, middle);
}

/* Appends each directory of a ':' list. */
static bool append_list(struct folder_list *list, const char *dirs, const char *otherwise)
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

static bool end(struct folder_list *list)
{
    char **folders = hy_array_grow(list->folders, list->count, sizeof *folders);
    if (!folders)
        return false;
    folders[list->count] = NULL;
    list->folders = folders;
    return true;
}

enum hy_code hy_discovery_folders_create(const struct hy_discovery_environment *environment,
                                         char ***out, struct hy_error *err)
{
    const char *home = environment->home;
    struct folder_list list = {0};
    const bool done =
        append_user(&list, environment->xdg_config_home, home, "/.config") &&
        append_list(&list, environment->xdg_config_dirs, "/etc/xdg") &&
        append(&list, environment->sysconf_folder, "") && append(&list, "/etc", "") &&
        append_user(&list, environment->xdg_data_home, home, "/.local/share") &&
        append(&list, environment->data_folder, "") &&
        append_list(&list, environment->xdg_data_dirs, "/usr/local/share:/usr/share") && end(&list);
    if (!done) {
        for (uint32_t i = 0; i < list.count; i++)
            free(list.folders[i]);
        free(list.folders);
        return hy_fail(err, HY_OUT_OF_MEMORY, "driver folder %u", list.count);
    }
    *out = list.folders;
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
