#ifndef HY_TESTS_UNIT_TOOLS_KIT_CHECK_DRIVER_RUN_H
#define HY_TESTS_UNIT_TOOLS_KIT_CHECK_DRIVER_RUN_H

#include <jansson.h>

#include "tests/unit/tools/kit/command_run.h"

/* The result of `halyard check-driver --json` for a driver. */
struct check_run {
    int status;
    json_t *json;
};

/* Checks a library with driver arguments (NULL: none). check_run_library uses a step timeout long
 * enough for busy machines. check_run_patiently sets the timeout, since a hanging driver uses all
 * of it. */
struct check_run check_run_library(const char *library, const char *arguments);
struct check_run check_run_patiently(const char *library, const char *arguments,
                                     const char *seconds);
void check_run_finish(struct check_run *run);

/* "ok", "failed" or "skipped" for the rule in the first group with the rule; "" for an unknown
 * rule. */
const char *check_run_result(const struct check_run *run, const char *rule);
const char *check_run_detail(const struct check_run *run, const char *rule);

/* The failed rules without repetition, "B4 B6 ". Valid until the next call. */
const char *check_run_broken(const struct check_run *run);

#endif
