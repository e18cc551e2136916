#ifndef HY_TOOLS_COMMANDS_CACHED_STEPS_H
#define HY_TOOLS_COMMANDS_CACHED_STEPS_H

#include <halyard/halyard.h>

#include "tools/session.h"

/*
 * What `halyard compile` and `halyard cache check` tell: the steps of a session, each with what the
 * cache has of it, as they are visited. Zeroed, it has seen none.
 */
struct hy_cached_steps {
    uint32_t counts[HALYARD_CACHE_NOT_STORED + 1]; /* of each HALYARD_CACHE_* */
    uint64_t bytes;
    bool as_json;
    struct json_t *json; /* an array, with as_json */
};

/* A halyard_step_visitor; `context` is the steps. As text a line goes to stdout. */
void hy_cached_steps_add(void *context, uint32_t index, const struct halyard_plan_step *step);
void hy_cached_steps_add_json(struct hy_cached_steps *steps, const struct halyard_plan_step *step);
void hy_cached_steps_finish(struct hy_cached_steps *steps);

/* "/opt/cache: 2 steps stored, 1 found, 1 cannot be cached; 4.3 MiB", as a line to stdout. */
void hy_cached_steps_print_sum(const struct hy_cached_steps *steps, const char *folder);

/*
 * {"model", "folder", "steps": [{"device", "operations", "outcome", "reason", "bytes", "token"}],
 * `verdict`: whether all is well, "reason": why not, or null}. `folder` may be NULL; `why` is NULL
 * where all is well. Takes the steps.
 */
HY_MUST_CHECK enum hy_code
hy_cached_steps_print_json(struct hy_cached_steps *steps, const char *model, const char *folder,
                           const char *verdict, const struct hy_error *why, struct hy_error *err);

#endif
