#ifndef HY_DRIVERD_ALL_THREADS_H
#define HY_DRIVERD_ALL_THREADS_H

#include "common/error.h"

/*
 * A Landlock rule set confines the calling thread and all of its later threads. Threads that a
 * driver has already started must confine themselves. SIGSYS makes each existing thread do so;
 * signal_masks.c keeps SIGSYS unblocked in every thread of the process.
 */

/*
 * Confines all existing threads by `ruleset`, a Landlock descriptor. After HY_OK every existing and
 * future thread is confined. Errors: FAILED (the kernel refuses the rule set, /proc/self/task
 * cannot be read, or threads did not respond within one second; the text gives the number of
 * threads that did not respond, and all other threads are confined).
 */
HY_MUST_CHECK enum hy_code hy_all_threads_restrict(int ruleset, struct hy_error *err);

/* Call once the SIGSYS handler is installed. Before this call no thread is sent SIGSYS. */
void hy_all_threads_enable_handler(void);

/* Confines the current thread on behalf of hy_all_threads_restrict. The SIGSYS handler calls the
 * function for a signal sent by the own process. Async-signal-safe. */
void hy_all_threads_handle_request(void);

#endif
