#ifndef HY_DRIVERD_REFUSALS_H
#define HY_DRIVERD_REFUSALS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What happens to a system call that the filter stops with SIGSYS: the call gives EPERM (ENOSYS one
 * that is newer than our list of names, because libc then tries an older one), and a line in the
 * log names it. The handler only notes what it saw, a thread writes the lines: sixteen for each
 * call, after which it says no more of that call.
 *
 * A thread that blocks SIGSYS and makes such a call ends the process; that is the kernel's rule.
 */

/* Whether this machine's handler exists: elsewhere a refusal is silent. */
bool hy_refusals_can_be_told(void);

/* Sets the handler, also the one for all_threads.h. Before the filter is loaded, once. Errors:
 * FAILED. */
HY_MUST_CHECK enum hy_code hy_refusals_install(struct hy_error *err);

/* Whether stopped opens are refused (true), or passed to the kernel, and told of if it refuses. */
void hy_refusals_refuse_opens(bool all);

/* Starts the thread that writes the lines. Errors: FAILED (nothing is told then). */
HY_MUST_CHECK enum hy_code hy_refusals_start(void (*log)(int32_t level, const char *text),
                                             struct hy_error *err);

/* Returns when the lines for what has been refused until now are written, or after a second. From
 * one thread at a time. */
void hy_refusals_flush(void);

#endif
