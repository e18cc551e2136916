#ifndef HY_PLUGINS_DISCOVERY_DISCOVERY_H
#define HY_PLUGINS_DISCOVERY_DISCOVERY_H

#include "common/error.h"

struct hy_opening_guard;
struct hy_service_settings;

/*
 * Search settings for drivers. All values are passed in and nothing in discovery reads the
 * environment: the runtime reads the environment in one place, and tests can pass any value.
 */
struct hy_discovery {
    /* Directories searched for manifests, most important first; a file name in an earlier directory
     * masks the same name in later directories. NULL-terminated; NULL = none. See
     * hy_discovery_dirs_create. */
    const char *const *dirs;

    /* HALYARD_DRIVER_FILES: ':' list of manifest files, or directories of manifests; replaces the
     * search. NULL or "" = search. */
    const char *driver_files;

    /* HALYARD_ADD_DRIVER_FILES: a list of the same form, placed before all other manifests. */
    const char *add_driver_files;

    /* HALYARD_DRIVERS_SELECT and _DISABLE: ',' lists of globs, compared with the name of the
     * manifest file (without ".json") and with the name of the device. A select list keeps only
     * matching names. The disable list removes matching names, also selected ones. A driver with a
     * disabled manifest is never loaded. NULL or "" = no filter. */
    const char *select;
    const char *disable;

    /* The directory for library_path values without '/'; absolute, or NULL = none. */
    const char *plugin_dir;

    /* HALYARD_ISOLATE: ',' list of globs, compared with the name of the manifest file. Matching
     * drivers get a process of their own, in addition to drivers whose manifests ask for isolation.
     * "all" matches every driver. NULL or "" = no filter. */
    const char *isolate;

    /* HALYARD_SERVICE_SOCKETS: ':' list of NAME=PATH. The manifest file NAME (without ".json") uses
     * the driver of the shared service listening at PATH, regardless of the manifest's content.
     * NULL or "" = none. */
    const char *sockets;

    /* Settings of service processes (plugins/service/client/service.h). NULL = no service
     * processes: a driver that needs a process of its own is refused. Outlives the drivers. */
    const struct hy_service_settings *services;

    /* Guards the drivers opened in this process (plugins/opening_guard.h) until hy_plugins_open
     * returns; NULL = no guard. */
    const struct hy_opening_guard *guard;

    /* Device names reserved for built-in devices; no driver may use them. NULL-terminated, or
     * NULL. */
    const char *const *reserved_names;

    /* Names of built-in devices that may also appear in `isolate` and `sockets`. NULL-terminated,
     * or NULL. */
    const char *const *service_names;
};

/* The environment variables that form the directory list, and the two directories of this
 * installation. NULL, "" and relative paths count as unset, also inside a ':' list. */
struct hy_discovery_environment {
    const char *xdg_config_home; /* XDG_CONFIG_HOME, else $HOME/.config */
    const char *xdg_config_dirs; /* XDG_CONFIG_DIRS, a ':' list, else /etc/xdg */
    const char *xdg_data_home;   /* XDG_DATA_HOME, else $HOME/.local/share */
    const char *xdg_data_dirs;   /* XDG_DATA_DIRS, a ':' list, else /usr/local/share:/usr/share */
    const char *home;            /* HOME, for the defaults above */
    const char *sysconf_dir;     /* PREFIX/etc */
    const char *data_dir;        /* PREFIX/share */
};

/*
 * Builds hy_discovery.folders in the order of the Vulkan loader: $XDG_CONFIG_HOME,
 * $XDG_CONFIG_DIRS, PREFIX/etc, /etc, $XDG_DATA_HOME, PREFIX/share and $XDG_DATA_DIRS.
 * "/halyard/drivers.d" is appended to each, and duplicates are dropped. Leave the variables NULL if
 * the process must not trust its environment. The caller frees `*out` with
 * hy_discovery_dirs_destroy. Fails only with HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code
hy_discovery_dirs_create(const struct hy_discovery_environment *environment, char ***out,
                         struct hy_error *err);
void hy_discovery_dirs_destroy(char **dirs);

#endif
