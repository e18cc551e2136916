#ifndef HY_DRIVERD_REFUSALS_H
#define HY_DRIVERD_REFUSALS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The SIGSYS handler for system calls that the filter stops. A stopped call returns EPERM. A call
 * without a known name returns ENOSYS, so that libc falls back to an older call. The handler only
 * records the call, and a separate thread logs the name: at most sixteen lines for each call.
 *
 * A thread that blocks SIGSYS and makes a stopped call ends the process. The kernel enforces this.
 */

/* Whether this architecture has a handler. Without a handler refusals are not logged. */
bool hy_refusals_can_be_reported(void);

/* Installs the SIGSYS handler, which also serves all_threads.h. Call once, before the filter is
 * loaded. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_refusals_install(struct hy_error *err);

/* true: every stopped open is refused. false, the default: a stopped open is repeated with openat2,
 * and a refusal by Landlock (EACCES) is logged with the path. */
void hy_refusals_refuse_opens(bool all);

/* Starts the thread that logs. `log` must be callable from any thread. Errors: FAILED (refusals are
 * not logged). */
HY_MUST_CHECK enum hy_code hy_refusals_start(void (*log)(int32_t level, const char *text),
                                             struct hy_error *err);

/* Waits until all refusals up to now are logged, at most 20 seconds. Call from one thread at a
 * time. */
void hy_refusals_flush(void);

#endif
