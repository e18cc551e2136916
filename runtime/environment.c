#include "environment.h"

#include "common/absolute_path.h"
#include "common/near_name.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct variable {
    const char *name;
    size_t member; /* offset of its const char * */
    bool names_a_path;
} variables[] = {
    {"HALYARD_LOG", offsetof(struct hy_environment, log), false},
    {"HALYARD_LOG_FORMAT", offsetof(struct hy_environment, log_format), false},
    {"HALYARD_CPU_THREADS", offsetof(struct hy_environment, cpu_threads), false},
    {"HALYARD_CPU_FEATURES", offsetof(struct hy_environment, cpu_features), false},
    {"HALYARD_DRIVERS_SELECT", offsetof(struct hy_environment, drivers_select), false},
    {"HALYARD_DRIVERS_DISABLE", offsetof(struct hy_environment, drivers_disable), false},
    {"HALYARD_DRIVER_FILES", offsetof(struct hy_environment, driver_files), true},
    {"HALYARD_ADD_DRIVER_FILES", offsetof(struct hy_environment, add_driver_files), true},
    {"HALYARD_REPORT", offsetof(struct hy_environment, report), true},
    {"HALYARD_PLAN_DEVICES", offsetof(struct hy_environment, plan_devices), false},
    {"HALYARD_PLAN_WITHOUT", offsetof(struct hy_environment, plan_without), false},
    {"HALYARD_PLAN_ASSIGN", offsetof(struct hy_environment, plan_assign), true},
    {"HALYARD_PLAN_MAX_STEPS", offsetof(struct hy_environment, plan_max_steps), false},
    {"HOME", offsetof(struct hy_environment, home), true},
    {"XDG_CONFIG_HOME", offsetof(struct hy_environment, xdg_config_home), true},
    {"XDG_CONFIG_DIRS", offsetof(struct hy_environment, xdg_config_dirs), true},
    {"XDG_DATA_HOME", offsetof(struct hy_environment, xdg_data_home), true},
    {"XDG_DATA_DIRS", offsetof(struct hy_environment, xdg_data_dirs), true},
    {"XDG_STATE_HOME", offsetof(struct hy_environment, xdg_state_home), true},
    {"STATE_DIRECTORY", offsetof(struct hy_environment, state_directory), true},
    {"HALYARD_STATE_DIR", offsetof(struct hy_environment, state_dir), true},
    {"HALYARD_CACHE_DIR", offsetof(struct hy_environment, cache_dir), true},
    {"HALYARD_CACHE_LIMIT", offsetof(struct hy_environment, cache_limit), false},
    {"HALYARD_ISOLATE", offsetof(struct hy_environment, isolate), false},
    {"HALYARD_SERVICE_PATIENCE", offsetof(struct hy_environment, service_hang_timeout), false},
    {"HALYARD_BURST_WAIT", offsetof(struct hy_environment, burst_wait), false},
    {"HALYARD_SERVICE_MEMORY", offsetof(struct hy_environment, service_memory), false},
    {"HALYARD_DRIVERD", offsetof(struct hy_environment, driverd), true},
    {"HALYARD_SERVICE_SOCKETS", offsetof(struct hy_environment, service_sockets), true},
    {"LISTEN_FDS", offsetof(struct hy_environment, listen_fds), false},
    {"LISTEN_PID", offsetof(struct hy_environment, listen_pid), false},
    {"NOTIFY_SOCKET", offsetof(struct hy_environment, notify_socket), true},
    {"WATCHDOG_USEC", offsetof(struct hy_environment, watchdog_usec), false},
};

enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };

/* Variables that other parts of Halyard read. */
static const char *const others[] = {"HALYARD_SERVICE_ENVIRONMENT"};

enum { OTHER_COUNT = sizeof others / sizeof *others };

static char **member_of(struct hy_environment *environment, const struct variable *variable)
{
    return (char **)((char *)environment + variable->member);
}

static void destroy(struct hy_environment *environment)
{
    for (size_t i = 0; environment && i < VARIABLE_COUNT; i++)
        free(*member_of(environment, &variables[i]));
    free(environment);
}

/* A service process starts in another directory, so a relative program path is made absolute here.
 * If the current directory does not exist, the path stays relative and the start reports the
 * error. */
static bool resolve_program(struct hy_environment *environment)
{
    const char *named = environment->driverd;
    if (!named || named[0] == '/')
        return true;

    char *path = hy_absolute_path(named);
    if (!path)
        return errno != ENOMEM;
    free((char *)named);
    environment->driverd = path;
    return true;
}

/* Copies the values, because the app may change its environment later. */
static struct hy_environment *create(void)
{
    struct hy_environment *environment = calloc(1, sizeof *environment);
    bool is_whole = environment != NULL;

    if (environment)
        environment->is_privileged = getauxval(AT_SECURE) != 0;
    for (size_t i = 0; is_whole && i < VARIABLE_COUNT; i++) {
        const struct variable *variable = &variables[i];
        const char *value =
            variable->names_a_path ? secure_getenv(variable->name) : getenv(variable->name);
        if (!value || !*value)
            continue;
        *member_of(environment, variable) = strdup(value);
        is_whole = *member_of(environment, variable) != NULL;
    }
    if (is_whole && resolve_program(environment))
        return environment;
    destroy(environment);
    return NULL;
}

static _Atomic(struct hy_environment *) cached;

const struct hy_environment *hy_environment(void)
{
    struct hy_environment *known = atomic_load_explicit(&cached, memory_order_acquire);
    if (known)
        return known;

    /* If several threads arrive first, all use the copy of one thread. */
    struct hy_environment *made = create();
    if (made && !atomic_compare_exchange_strong_explicit(
                    &cached, &known, made, memory_order_acq_rel, memory_order_acquire)) {
        destroy(made);
        made = known;
    }
    return made;
}

/* ---- Names that are wrong -------------------------------------------------------------------- */

#define PREFIX "HALYARD_"

void hy_environment_find_unknown(void (*found)(const char *unknown, const char *near))
{
    const char *names[VARIABLE_COUNT + OTHER_COUNT];
    size_t count = 0;

    for (size_t i = 0; i < VARIABLE_COUNT + OTHER_COUNT; i++) {
        const char *name = i < VARIABLE_COUNT ? variables[i].name : others[i - VARIABLE_COUNT];
        if (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0)
            names[count++] = name;
    }
    for (char **entry = environ; entry && *entry; entry++) {
        char name[64];
        const size_t length = strcspn(*entry, "=");
        if (length >= sizeof name || strncmp(*entry, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        const char *near = hy_near_name(name, names, count);
        if (near)
            found(name, near);
    }
}

bool hy_environment_move_state(const char *path)
{
    char *copy = hy_environment() ? strdup(path) : NULL;
    struct hy_environment *environment = atomic_load_explicit(&cached, memory_order_acquire);
    if (!copy)
        return false;

    free((char *)environment->state_dir);
    environment->state_dir = copy;
    return true;
}
