#include "runtime/drivers/settings.h"

#include "plugins/discovery/unmatched.h"
#include "runtime/environment.h"
#include "runtime/log.h"

#include <stdlib.h>

static void check_globs(const char *variable, const char *globs, const struct hy_name_list *names)
{
    const char *rest = globs;
    char *glob = NULL, there[256];
    struct hy_error err;

    while (hy_unmatched_glob(&rest, false, names, &glob, &err) == HY_OK && glob) {
        hy_name_list_text(names, there, sizeof there);
        hy_log(HY_LOG_WARNING, "device", "%s: \"%.64s\" matches no device; known devices: %s",
               variable, glob, there);
        free(glob);
    }
}

static void warn_unknown(const char *unknown, const char *near)
{
    hy_log(HY_LOG_WARNING, "device",
           "%.64s is not a variable of Halyard and has no effect; did you mean %s?", unknown, near);
}

/* Out of memory only suppresses a warning. */
void hy_device_settings_check(const struct hy_device_list *list)
{
    const struct hy_environment *environment = hy_environment();
    struct hy_name_list names = {0};
    struct hy_error err;

    hy_log_check_settings();
    hy_environment_find_unknown(warn_unknown);
    if (!environment || (!environment->plan_devices && !environment->plan_without))
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        if (hy_name_list_add(&names, list->devices[i].info.name, &err) != HY_OK)
            break;
    }
    if (names.count == list->count) {
        check_globs("HALYARD_PLAN_DEVICES", environment->plan_devices, &names);
        check_globs("HALYARD_PLAN_WITHOUT", environment->plan_without, &names);
    }
    hy_name_list_finish(&names);
}
