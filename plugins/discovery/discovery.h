#ifndef HY_PLUGINS_DISCOVERY_DISCOVERY_H
#define HY_PLUGINS_DISCOVERY_DISCOVERY_H

#include "common/error.h"

struct hy_opening_guard;
struct hy_service_settings;

/*
 * Where drivers are looked for. All values are passed in: nothing here reads the environment, so
 * that the runtime reads it in one place and tests can put anything in its stead.
 */
struct hy_discovery {
    /* Folders searched for manifests, most important first: a file name met again in a later
     * folder is masked. NULL-terminated; NULL = none. See hy_discovery_folders_create. */
    const char *const *folders;

    /* HALYARD_DRIVER_FILES: ':' list of manifest files, or folders of them, that replaces the
     * search. NULL or "" = search. */
    const char *driver_files;

    /* HALYARD_ADD_DRIVER_FILES: a list of the same form, that comes before everything else. */
    const char *add_driver_files;

    /* HALYARD_DRIVERS_SELECT and _DISABLE: ',' lists of globs, each compared with the name of the
     * manifest file (without ".json") and the name of the device. With a select list only what
     * matches it stays; what matches the disable list goes, also if selected. A driver whose
     * manifest is disabled is not even loaded. NULL or "" = no filter. */
    const char *select;
    const char *disable;

    /* The one folder for library_path values without '/'; absolute, or NULL = none. */
    const char *plugin_folder;

    /* HALYARD_ISOLATE: ',' list of globs, each compared with the name of the manifest file: these
     * drivers get a process of their own, beside those whose manifests ask for it. "all" is all of
     * them. NULL or "" = no filter. */
    const char *isolate;

    /* HALYARD_SERVICE_SOCKETS: ':' list of NAME=PATH: the driver of the manifest file of this name
     * (without ".json") is that of the shared service listening at PATH, whatever its manifest
     * says. NULL or "" = none. */
    const char *sockets;

    /* How those processes live (plugins/service/client/service.h); NULL = there are none, and a
     * driver that has to have one is refused. Outlives the drivers. */
    const struct hy_service_settings *services;

    /* Who watches over the drivers that are opened in this process (plugins/opening_guard.h), until
     * hy_plugins_open is over; NULL = nobody. */
    const struct hy_opening_guard *guard;

    /* Names that no driver may take for a device (the built-in ones). NULL-terminated, or NULL. */
    const char *const *reserved_names;

    /* Names of built-in devices that `isolate` and `sockets` may mean, too. NULL-terminated, or
     * NULL. */
    const char *const *service_names;
};

/* The environment variables behind the folder list, and the two folders of this installation. NULL,
 * "" and a relative path count as unset, also as a part of a ':' list. */
struct hy_discovery_environment {
    const char *xdg_config_home; /* XDG_CONFIG_HOME, else $HOME/.config */
    const char *xdg_config_dirs; /* XDG_CONFIG_DIRS, a ':' list, else /etc/xdg */
    const char *xdg_data_home;   /* XDG_DATA_HOME, else $HOME/.local/share */
    const char *xdg_data_dirs;   /* XDG_DATA_DIRS, a ':' list, else /usr/local/share:/usr/share */
    const char *home;            /* HOME */
    const char *sysconf_folder;  /* PREFIX/etc */
    const char *data_folder;     /* PREFIX/share */
};

/*
 * Builds hy_discovery.folders, in the order of the Vulkan loader: $XDG_CONFIG_HOME,
 * $XDG_CONFIG_DIRS, PREFIX/etc, /etc, $XDG_DATA_HOME, PREFIX/share and $XDG_DATA_DIRS, each with
 * "/halyard/drivers.d" behind it, and each once. Leave the variables NULL where the process must
 * not trust its environment. Fails only with HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code
hy_discovery_folders_create(const struct hy_discovery_environment *environment, char ***out,
                            struct hy_error *err);
void hy_discovery_folders_destroy(char **folders);

#endif
