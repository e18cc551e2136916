#ifndef HY_TESTS_CONFORMANCE_RUN_COMMAND_H
#define HY_TESTS_CONFORMANCE_RUN_COMMAND_H

#include <jansson.h>

/*
 * Runs a program and parses its standard output as JSON. `arguments` starts with the path and ends
 * with NULL. `*status` receives the exit status, or -1 if the program did not exit by itself. If
 * the output is not JSON, records a test failure and returns NULL. The caller owns the result.
 */
json_t *hy_run_command(const char *const *arguments, int *status);

#define HY_CONFORMANCE_MODES 16

/*
 * Runs `halyard conformance` over the vectors at `path` in each of the modes, at most
 * HY_CONFORMANCE_MODES. Reading the vectors takes most of the time, so one run covers all modes. A
 * NULL `device` means the planner's choice. Returns an array with the output of each mode, owned by
 * the caller, or NULL without output. Missing output or a failed test is recorded as a test
 * failure.
 */
json_t *hy_run_conformance(const char *path, const char *device, const char *const *modes,
                           size_t mode_count);

#endif
