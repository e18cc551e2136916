#ifndef HY_RUNTIME_DRIVERS_BACKGROUND_H
#define HY_RUNTIME_DRIVERS_BACKGROUND_H

#include <stdbool.h>

/*
 * Background tasks. Tasks run one at a time in their order on a thread of the lowest priority. The
 * first task starts the thread; the thread ends after the last task. Executions never wait for a
 * task. With a worker pool of width 1 background tasks are disabled.
 *
 * fork() waits for the end of a running task; pending tasks run in parent and child.
 */

/* The owner of tasks. Zeroed at first; only background.c writes the members. */
struct hy_background_owner {
    bool has_ended;
};

/* Adds a task. `owner` may be NULL. False: the task will not run (no memory, no thread, width 1, or
 * the owner has ended). */
bool hy_background_add(struct hy_background_owner *owner, void (*task)(void *argument),
                       void *argument);

/* Ends the tasks of an owner: runs pending tasks on this thread and waits for a running task. Do
 * not call from inside a task. */
void hy_background_end(struct hy_background_owner *owner);

#endif
