#ifndef HY_TOOLS_COMMANDS_CACHED_STEPS_H
#define HY_TOOLS_COMMANDS_CACHED_STEPS_H

#include <halyard/halyard.h>

#include "tools/session.h"

/*
 * The output of `halyard compile` and `halyard cache check`: the steps of a session, each with its
 * cache state, collected during a visit. A zeroed struct is empty.
 */
struct hy_cached_steps {
    uint32_t counts[HALYARD_CACHE_NOT_STORED + 1]; /* number of steps for each HALYARD_CACHE_* */
    uint64_t bytes;
    bool as_json;
    struct json_t *json; /* an array, with as_json */
};

/* A halyard_step_visitor; `context` is the struct. In text mode the visitor prints a line to
 * stdout. */
void hy_cached_steps_add(void *context, uint32_t index, const struct halyard_plan_step *step);
void hy_cached_steps_add_json(struct hy_cached_steps *steps, const struct halyard_plan_step *step);
void hy_cached_steps_finish(struct hy_cached_steps *steps);

/* Prints a line like "/opt/cache: 2 steps stored, 1 found, 1 cannot be cached; 4.3 MiB" to
 * stdout. */
void hy_cached_steps_print_sum(const struct hy_cached_steps *steps, const char *dir);

/*
 * {"model", "folder", "steps": [{"device", "operations", "outcome", "reason", "bytes", "token"}],
 * `verdict`: true without an error, "reason": the error text, or null}. `folder` may be NULL; `why`
 * is NULL without an error. The function consumes the collected steps.
 */
HY_MUST_CHECK enum hy_code
hy_cached_steps_print_json(struct hy_cached_steps *steps, const char *model, const char *dir,
                           const char *outcome, const struct hy_error *why, struct hy_error *err);

#endif
