#ifndef HY_DRIVERD_PARTIAL_CALLS_H
#define HY_DRIVERD_PARTIAL_CALLS_H

#include "driverd/seccomp_rules.h"

/*
 * System calls that are allowed with some argument values only, because other values reach other
 * processes. The kernel reads process ids, commands and flags as 32-bit ints. A rule therefore
 * compares the low 32 bits, or accepts only 0.
 */

/* Adds allow rules to a filter that refuses by default. */
void hy_partial_calls_allow(struct hy_seccomp_rules *rules);

/* Adds refuse rules for argument values of calls that the first filter allows as a whole. Use a
 * second filter that allows by default: one filter cannot both allow a call and refuse some of its
 * arguments. */
void hy_partial_calls_refuse(struct hy_seccomp_rules *rules);

#endif
