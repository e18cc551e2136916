#ifndef HY_DRIVERD_CALL_FILTER_H
#define HY_DRIVERD_CALL_FILTER_H

#include "common/error.h"

#include <stdbool.h>

/*
 * The seccomp filter of system calls. The filter is an allow list (allowed_calls.def). Every other
 * call raises SIGSYS; the handler (refusals.h) logs the name and returns EPERM. Process creation
 * returns EPERM without SIGSYS, because libc blocks all signals around fork and clone. A loaded
 * filter cannot be removed.
 */

/*
 * Loads the filter for the calling thread and all threads started later. `traps_opens`: open,
 * openat and creat raise SIGSYS; the handler repeats the call under Landlock and logs a refusal.
 * Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_call_filter_load(bool traps_opens, struct hy_error *err);

/* For all existing and future threads: refuses to open, create, remove or rename files. Errors:
 * FAILED. */
HY_MUST_CHECK enum hy_code hy_call_filter_close_files(struct hy_error *err);

/* The name of a system call number on this architecture. The caller frees the name. NULL: the
 * number has no name, or memory is exhausted. */
char *hy_call_filter_name(int number);

#endif
