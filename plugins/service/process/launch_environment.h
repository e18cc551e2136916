#ifndef HY_SERVICE_LAUNCH_ENVIRONMENT_H
#define HY_SERVICE_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>

/*
 * What a host gets of the app's environment: the variables listed in docs/sandbox.md, and those
 * that HALYARD_SERVICE_ENVIRONMENT names. The rest is the app's: secrets are passed in variables,
 * and a driver has no business with them. A process that runs with more rights than its caller
 * (`is_secure`) passes on nothing, since what its caller says is not to be believed.
 *
 * The array is the caller's to free, its strings are those of `all`. NULL: no memory.
 */
char **hy_launch_environment(char *const *all, bool is_secure);

#endif
