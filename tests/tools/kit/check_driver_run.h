#ifndef HY_TESTS_TOOLS_KIT_CHECK_DRIVER_RUN_H
#define HY_TESTS_TOOLS_KIT_CHECK_DRIVER_RUN_H

#include <jansson.h>

#include "tests/tools/kit/command_run.h"

/* What `halyard check-driver --json` found about a driver. */
struct check_run {
    int status;
    json_t *json;
};

/* Checks a library with these arguments (NULL: none). A step gets more time than any takes on a
 * busy machine, or what is said: drivers that hang take all of it. */
struct check_run check_run_library(const char *library, const char *arguments);
struct check_run check_run_patiently(const char *library, const char *arguments,
                                     const char *seconds);
void check_run_finish(struct check_run *run);

/* "ok", "failed" or "skipped", of the rule in the first group that has it; "" where none has. */
const char *check_run_result(const struct check_run *run, const char *rule);
const char *check_run_detail(const struct check_run *run, const char *rule);

/* The rules that failed, "B4 B6 ", each once. Valid until the next call. */
const char *check_run_broken(const struct check_run *run);

#endif
