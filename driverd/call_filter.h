#ifndef HY_DRIVERD_CALL_FILTER_H
#define HY_DRIVERD_CALL_FILTER_H

#include "common/error.h"

#include <stdbool.h>

/*
 * What this process may ask of the system, through seccomp. It is a list of what is allowed
 * (allowed_calls.def); everything else is refused by way of SIGSYS, whose handler (refusals.h)
 * notes the name and gives EPERM. The making of processes is refused with EPERM straight away,
 * because libc blocks all signals around it. There is no way back.
 */

/*
 * For all threads that come from this one. `traps_opens`: open and its like go through the handler,
 * which lets Landlock decide and can tell of its refusals. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_call_filter_load(bool traps_opens, struct hy_error *err);

/* For all threads there are: no file is opened, made, removed or renamed any more. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_call_filter_close_files(struct hy_error *err);

/* The name of a system call of this machine. The caller frees it; NULL: it has none, or no memory.
 */
char *hy_call_filter_name(int number);

#endif
