#ifndef HY_TESTS_CONFORMANCE_RUN_COMMAND_H
#define HY_TESTS_CONFORMANCE_RUN_COMMAND_H

#include <jansson.h>

/*
 * Runs a program, `arguments` ending in NULL and starting with its path, and reads what it prints
 * as JSON. Its exit status goes to `*status`, -1 if it did not exit by itself. NULL: no JSON; the
 * words are a recorded failure. The caller owns the result.
 */
json_t *hy_run_command(const char *const *arguments, int *status);

#define HY_CONFORMANCE_MODES 16

/*
 * Runs `halyard conformance` over the vectors at `path`, in each of the modes, at most
 * HY_CONFORMANCE_MODES: they are read once for all of them, which is most of the time. `device`:
 * NULL for the planner's choice. The caller owns the result, an array of what it printed for each
 * mode. That there is no answer, or not one for each mode, or that a test failed, is a recorded
 * failure; NULL: no answer.
 */
json_t *hy_run_conformance(const char *path, const char *device, const char *const *modes,
                           size_t mode_count);

#endif
