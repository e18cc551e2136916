#ifndef HY_DRIVERD_SANDBOX_H
#define HY_DRIVERD_SANDBOX_H

#include "driverd/file_rules.h"

#include <stdint.h>

/*
 * The sandbox of a driver process (docs/sandbox.md). hy_sandbox_enter runs before the driver
 * library is loaded, hy_sandbox_tighten after the driver has been created. Call both on the same
 * thread, hy_sandbox_enter while the process has no other thread. Neither function fails: missing
 * protection is logged and shows in hy_sandbox_description.
 */

/* Confines the process. `capabilities`: bits 1 << CAP_* that a process of root keeps because the
 * manifest asks for them; CAP_SYS_NICE also keeps the limits on priorities. `log` is called from
 * any thread, from now on. */
void hy_sandbox_enter(const struct hy_file_rules *rules, uint64_t capabilities,
                      void (*log)(int32_t level, const char *text));

/* Removes access to the directory of the driver library. Without Landlock: refuses to open, create,
 * remove or rename any file. */
void hy_sandbox_tighten(const struct hy_file_rules *rules);

/* The protection in force: "seccomp+landlock 7", "seccomp, opens no files", "none: reason" and so
 * on. Never NULL. Valid while the process lives; the text changes with hy_sandbox_enter and
 * hy_sandbox_tighten. */
const char *hy_sandbox_description(void);

#endif
