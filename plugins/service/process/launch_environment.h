#ifndef HY_SERVICE_LAUNCH_ENVIRONMENT_H
#define HY_SERVICE_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Returns the environment of a host process: the variables that docs/sandbox.md lists, and the
 * variables that HALYARD_SERVICE_ENVIRONMENT names. Other variables are withheld, as the
 * environment of the app may contain secrets. A process with more rights than its caller
 * (`is_secure`) passes on no variables, as the caller is not trusted.
 *
 * The caller frees the array. The strings belong to `all`. NULL: out of memory.
 */
char **hy_launch_environment(char *const *all, bool is_secure);

#endif
