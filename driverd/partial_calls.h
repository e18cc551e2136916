#ifndef HY_DRIVERD_PARTIAL_CALLS_H
#define HY_DRIVERD_PARTIAL_CALLS_H

#include "driverd/seccomp_rules.h"

/*
 * System calls that are allowed with some of their arguments: those that reach other processes with
 * the others. Numbers of processes, commands and flags are ints for the kernel, so 32 bits of them
 * are compared, or nothing but 0 is let through.
 */

/* Adds the calls to a filter whose usual action is refusal. */
void hy_partial_calls_allow(struct hy_seccomp_rules *rules);

/* Adds the refused arguments of calls that such a filter allows as a whole. For a second filter,
 * whose usual action is to allow: one filter cannot allow a call and refuse some of its arguments.
 */
void hy_partial_calls_refuse(struct hy_seccomp_rules *rules);

#endif
