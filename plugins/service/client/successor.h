#ifndef HY_SERVICE_CLIENT_SUCCESSOR_H
#define HY_SERVICE_CLIENT_SUCCESSOR_H

#include "plugins/service/client/connection/connection.h"

/*
 * A later process may run another build of the driver than the first one, which has told the app
 * what there is. docs/services.md, Upgrading, has the rules.
 */

/* Whether the app can go on with what `now` says, which it has planned with `first`. Error:
 * UNAVAILABLE; the words name the fact, both builds, and what is to be done. */
HY_MUST_CHECK enum hy_code hy_successor_check(const struct hy_introduction *first,
                                              const struct hy_introduction *now,
                                              struct hy_error *err);

/* Whether cache files of the one build are those of the other. */
bool hy_successor_shares_files(const struct hy_introduction *first,
                               const struct hy_introduction *now, uint32_t device);

/* Long enough for each description of a build; longer ones are cut. */
#define HY_BUILD_TEXT_SIZE 88

/* "version 1.2, build 7f3a"; without the build where it has no name. */
void hy_successor_describe_build(const struct hy_introduction *introduction, uint32_t device,
                                 char text[HY_BUILD_TEXT_SIZE]);

#endif
