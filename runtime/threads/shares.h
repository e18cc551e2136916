#ifndef HY_RUNTIME_SHARES_H
#define HY_RUNTIME_SHARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Work that threads share, task by task, without a lock: whoever brings it opens a share, takes
 * tasks as helpers do, and closes it. Shares lie in places that stay, so that a helper may look at
 * one that is just being closed.
 */
struct hy_share;

typedef void hy_share_task(void *argument, uint32_t index);

/* `helpers`: threads that may join at a time, 511 at most. NULL: there are more open than there are
 * places, or too many tasks. */
struct hy_share *hy_share_open(uint32_t count, uint32_t helpers, hy_share_task *task,
                               void *argument);

/* Runs tasks until none is left. */
void hy_share_run(struct hy_share *share);

/* After that: returns when no helper is in it any more. */
void hy_share_close(struct hy_share *share);

/* Joins one that has tasks left, and runs some of them: none once *urgent is not 0. False: there
 * was none to join. */
bool hy_share_help(const atomic_uint *urgent);

/* True on a thread that is running a task. */
bool hy_share_is_inside(void);

/* Runs all tasks on this thread, as if in a share. */
void hy_share_run_alone(uint32_t count, hy_share_task *task, void *argument);

/* A number that is another one as soon as a share was opened. */
unsigned hy_shares_opened(void);

/* How many are open, with those whose last tasks are being run. */
unsigned hy_shares_open_count(void);

void hy_shares_forget(void); /* in a child of fork(): the helpers are gone */

/* Between two looks at what another thread is to change: a moment; the longer it has taken so far
 * (`looks`), the more likely that thread has no core of its own, and gets this one. */
void hy_share_pause(unsigned looks);

#endif
