#ifndef HY_DRIVERD_SANDBOX_H
#define HY_DRIVERD_SANDBOX_H

#include "driverd/file_rules.h"

#include <stdint.h>

/*
 * What a driver's own process may do (docs/sandbox.md). Two steps, on one thread while there is no
 * other: before the driver's library is loaded, and narrower when the driver has been created.
 * Nothing here fails: what cannot be had is told in the log and in the description.
 */

/* `capabilities`: what a process of root's keeps because the manifest asks, 1 << CAP_*; the limits
 * on priorities go with CAP_SYS_NICE. `log` takes the lines about it, from any thread, from now on.
 */
void hy_sandbox_enter(const struct hy_file_rules *rules, uint64_t capabilities,
                      void (*log)(int32_t level, const char *text));

/* Takes the folder of the driver's library away. Without Landlock: all files. */
void hy_sandbox_tighten(const struct hy_file_rules *rules);

/* "seccomp+landlock 7", "seccomp, opens no files", "none: reason", … Never NULL. */
const char *hy_sandbox_description(void);

#endif
