#include "plugins/settings_check.h"

#include <stdio.h>
#include <stdlib.h>

#define NAMES_SIZE 224

/* A setting, and the effect of a name without a match. */
struct setting {
    const char *variable;
    const char *list;
    const char *effect;
    bool has_all;
};

/* Frees `unmatched`. */
static enum hy_code refuse(struct hy_refusal_list *refusals, const struct setting *setting,
                           char *unmatched, const struct hy_name_list *names, struct hy_error *err)
{
    char reason[HY_ERROR_TEXT_SIZE], there[NAMES_SIZE];

    hy_name_list_text(names, there, sizeof there);
    snprintf(reason, sizeof reason, "\"%.64s\" %s; known: %s", unmatched, setting->effect, there);
    free(unmatched);
    return hy_refusal_list_add(refusals, HY_LOG_WARNING, setting->variable, reason, err);
}

static enum hy_code check_globs(const struct setting *setting, const struct hy_name_list *names,
                                struct hy_refusal_list *refusals, struct hy_error *err)
{
    const char *rest = setting->list;
    char *unmatched = NULL;
    enum hy_code code;

    do {
        code = hy_unmatched_glob(&rest, setting->has_all, names, &unmatched, err);
        if (code == HY_OK && unmatched)
            code = refuse(refusals, setting, unmatched, names, err);
    } while (code == HY_OK && unmatched);
    return code;
}

static enum hy_code check_sockets(const struct setting *setting, const struct hy_name_list *names,
                                  struct hy_refusal_list *refusals, struct hy_error *err)
{
    const char *rest = setting->list;
    char *unmatched = NULL;
    enum hy_code code;

    do {
        code = hy_unmatched_socket(&rest, names, &unmatched, err);
        if (code == HY_OK && unmatched)
            code = refuse(refusals, setting, unmatched, names, err);
    } while (code == HY_OK && unmatched);
    return code;
}

enum hy_code hy_settings_check(const struct hy_discovery *discovery, struct hy_name_list *manifests,
                               const struct hy_name_list *devices, struct hy_refusal_list *refusals,
                               struct hy_error *err)
{
    const struct setting isolate = {"HALYARD_ISOLATE", discovery->isolate,
                                    "matches no manifest and isolates nothing", true};
    const struct setting sockets = {"HALYARD_SERVICE_SOCKETS", discovery->sockets,
                                    "matches no manifest and connects no driver", false};
    const struct setting select = {"HALYARD_DRIVERS_SELECT", discovery->select,
                                   "matches no manifest and no device, and selects nothing", false};
    const struct setting disable = {"HALYARD_DRIVERS_DISABLE", discovery->disable,
                                    "matches no manifest and no device, and disables nothing",
                                    false};
    const uint32_t own = manifests->count;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < devices->count; i++)
        code = hy_name_list_add(manifests, devices->names[i], err);
    if (code == HY_OK)
        code = check_globs(&select, manifests, refusals, err);
    if (code == HY_OK)
        code = check_globs(&disable, manifests, refusals, err);
    while (manifests->count > own) /* isolate and sockets name manifests only */
        free(manifests->names[--manifests->count]);

    const char *const *more = discovery->service_names;
    for (; code == HY_OK && more && *more; more++)
        code = hy_name_list_add(manifests, *more, err);
    if (code == HY_OK)
        code = check_globs(&isolate, manifests, refusals, err);
    return code == HY_OK ? check_sockets(&sockets, manifests, refusals, err) : code;
}
