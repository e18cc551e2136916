#ifndef HY_TESTS_CONFORMANCE_RUN_COMMAND_H
#define HY_TESTS_CONFORMANCE_RUN_COMMAND_H

#include <jansson.h>

/*
 * Runs a program, `arguments` ending in NULL and starting with its path, and reads what it prints
 * as JSON. Its exit status goes to `*status`, -1 if it did not exit by itself. NULL: no JSON; the
 * words are a recorded failure. The caller owns the result.
 */
json_t *hy_run_command(const char *const *arguments, int *status);

/* The same where several JSON values follow each other: an array of them. */
json_t *hy_run_command_for_all(const char *const *arguments, int *status);

#endif
