#ifndef HY_RUNTIME_DEVICE_LATER_H
#define HY_RUNTIME_DEVICE_LATER_H

#include "runtime/fork_guard.h"

#include <stdbool.h>

/*
 * Work that nobody waits for: one task after the other, in the order in which they came, on a
 * thread of the lowest priority, which is made for the first and ends after the last. Executions
 * never wait for it. Where everything is to run on the caller (a pool of width 1) there is none of
 * it.
 *
 * fork() waits for the end of a task that is running; the tasks that wait run on both sides.
 */

/* False: it will not run (no memory, no thread, width 1). */
bool hy_later_add(void (*task)(void *argument), void *argument);

void hy_later_fork(enum hy_fork_phase phase); /* see fork_guard.h; above all other locks */

#endif
