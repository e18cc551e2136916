#ifndef HY_RUNTIME_CORE_AFFINITY_H
#define HY_RUNTIME_CORE_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

/*
 * Moves the calling thread to an allowed core outside of `busy`. The set of allowed cores stays the
 * same. False: no such core, or the thread must not move.
 */
bool hy_core_affinity_avoid(const cpu_set_t *busy);

#endif
