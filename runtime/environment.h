#ifndef HY_RUNTIME_ENVIRONMENT_H
#define HY_RUNTIME_ENVIRONMENT_H

#include <stdbool.h>

/*
 * The environment variables of Halyard, read once. Variables with a path are NULL in a process with
 * more rights than its caller (AT_SECURE). An empty variable counts as unset: NULL.
 */
struct hy_environment {
    const char *log;         /* HALYARD_LOG: level[:area,…] */
    const char *log_format;  /* HALYARD_LOG_FORMAT: text, json or journal */
    const char *cpu_threads; /* HALYARD_CPU_THREADS: size of the worker pool */
    const char
        *cpu_features; /* HALYARD_CPU_FEATURES: names; see cpu_fallback/allowed_isa_levels.h */
    const char *driver_files;         /* HALYARD_DRIVER_FILES: replaces the search; a path */
    const char *add_driver_files;     /* HALYARD_ADD_DRIVER_FILES: searched first; a path */
    const char *drivers_select;       /* HALYARD_DRIVERS_SELECT: globs, only these */
    const char *drivers_disable;      /* HALYARD_DRIVERS_DISABLE: globs, not these */
    const char *report;               /* HALYARD_REPORT: see report/report.h; a path */
    const char *plan_devices;         /* HALYARD_PLAN_DEVICES: globs; see plan/overrides.h */
    const char *plan_without;         /* HALYARD_PLAN_WITHOUT: globs */
    const char *plan_assign;          /* HALYARD_PLAN_ASSIGN: a path */
    const char *plan_max_steps;       /* HALYARD_PLAN_MAX_STEPS: a number */
    const char *home;                 /* HOME; a path */
    const char *xdg_config_home;      /* XDG_CONFIG_HOME; a path */
    const char *xdg_config_dirs;      /* XDG_CONFIG_DIRS: paths */
    const char *xdg_data_home;        /* XDG_DATA_HOME; a path */
    const char *xdg_data_dirs;        /* XDG_DATA_DIRS: paths */
    const char *xdg_state_home;       /* XDG_STATE_HOME; a path */
    const char *state_directory;      /* STATE_DIRECTORY of a systemd service: paths */
    const char *state_dir;            /* HALYARD_STATE_DIR: see state_dir.h; a path */
    const char *cache_dir;            /* HALYARD_CACHE_DIR: see cache/setting.h; a path */
    const char *cache_limit;          /* HALYARD_CACHE_LIMIT: bytes */
    const char *isolate;              /* HALYARD_ISOLATE: globs; see drivers/isolation.h */
    const char *service_hang_timeout; /* HALYARD_SERVICE_PATIENCE: seconds */
    const char *burst_wait;      /* HALYARD_BURST_WAIT: see plugins/service/queue/burst_wait.h */
    const char *service_memory;  /* HALYARD_SERVICE_MEMORY: bytes; see driverd/memory_limit.h */
    const char *driverd;         /* HALYARD_DRIVERD: a path */
    const char *service_sockets; /* HALYARD_SERVICE_SOCKETS: NAME=PATH; paths */
    const char *listen_fds;      /* LISTEN_FDS: see driverd/listening.h */
    const char *listen_pid;      /* LISTEN_PID */
    const char *notify_socket;   /* NOTIFY_SOCKET: see driverd/notify.h; a path */
    const char *watchdog_usec;   /* WATCHDOG_USEC: microseconds; see driverd/shared.c */
    bool is_privileged;          /* AT_SECURE */
};

/* Returns the variables. NULL: out of memory; the next call tries again. */
const struct hy_environment *hy_environment(void);

/*
 * Calls `found` for each unknown variable with the prefix HALYARD_ and a name near a known name
 * (common/near_name.h), such as HALYARD_ISOLATION or HALYARD_THREADS. Other names may belong to
 * other programs. Reads the environment at the time of the call.
 */
void hy_environment_find_unknown(void (*found)(const char *unknown, const char *near));

/* Sets the state directory of a process that serves one driver, in place of the variables. Call
 * before the process starts other threads. `path` is copied. False: out of memory. */
bool hy_environment_move_state(const char *path);

#endif
