#ifndef HY_RUNTIME_OTHER_CORE_H
#define HY_RUNTIME_OTHER_CORE_H

#include <sched.h>
#include <stdbool.h>

/*
 * Moves the calling thread to an allowed core outside of `busy`. The set of allowed cores stays the
 * same. False: no such core, or the thread must not move.
 */
bool hy_other_core_take(const cpu_set_t *busy);

#endif
