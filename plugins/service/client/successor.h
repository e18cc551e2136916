#ifndef HY_SERVICE_CLIENT_SUCCESSOR_H
#define HY_SERVICE_CLIENT_SUCCESSOR_H

#include "plugins/service/client/connection/connection.h"

/*
 * Compatibility of driver builds. A later process may run another build of the driver than the
 * first process, whose properties the app knows. docs/services.md, Upgrading, has the rules.
 */

/* Checks that an app which has planned with `first` can continue with `now`. Error: UNAVAILABLE;
 * the message names the difference, both builds and the remedy. */
HY_MUST_CHECK enum hy_code hy_successor_check(const struct hy_hello_info *first,
                                              const struct hy_hello_info *now,
                                              struct hy_error *err);

/* Returns whether the two builds of a device use the same cache files. */
bool hy_successor_can_use_files(const struct hy_hello_info *first, const struct hy_hello_info *now,
                                uint32_t device);

/* Buffer size in bytes for the description of a build; longer descriptions are truncated. */
#define HY_BUILD_TEXT_SIZE 88

/* Writes "version 1.2, build 7f3a", or "version 1.2" for a build without a name. */
void hy_successor_describe_build(const struct hy_hello_info *hello_info, uint32_t device,
                                 char text[HY_BUILD_TEXT_SIZE]);

#endif
