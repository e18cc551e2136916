#ifndef HY_RUNTIME_DRIVERS_LATER_H
#define HY_RUNTIME_DRIVERS_LATER_H

#include <stdbool.h>

/*
 * Work that nobody waits for: one task after the other, in the order in which they came, on a
 * thread of the lowest priority, which is made for the first and ends after the last. Executions
 * never wait for it. Where everything is to run on the caller (a pool of width 1) there is none of
 * it.
 *
 * fork() waits for the end of a task that is running; the tasks that wait run on both sides.
 */

/* Whose tasks they are: zero-filled at first, written here alone. */
struct hy_later_owner {
    bool has_ended;
};

/* `owner` may be NULL. False: it will not run (no memory, no thread, width 1, an owner that has
 * ended). */
bool hy_later_add(struct hy_later_owner *owner, void (*task)(void *argument), void *argument);

/* Ends the tasks of this owner: waiting tasks are run here, a running task is waited for. Not from
 * inside of a task. */
void hy_later_end(struct hy_later_owner *owner);

#endif
