#ifndef HY_RUNTIME_SHARES_H
#define HY_RUNTIME_SHARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Parallel-for jobs: tasks that several threads run without a lock. The owner opens a job, runs
 * tasks like the helpers, and closes the job. Jobs lie in static slots, because a helper may look
 * at a job while the owner closes it.
 */
struct hy_share;

typedef void hy_share_task(void *argument, uint32_t index);

/* Opens a job. `helpers` is the limit of concurrent helpers, at most 511. NULL: no free slot, or
 * too many tasks. */
struct hy_share *hy_share_open(uint32_t count, uint32_t helpers, hy_share_task *task,
                               void *argument);

/* Runs tasks until no task is left. */
void hy_share_run(struct hy_share *share);

/* Waits until all helpers have left. Call after hy_share_run. */
void hy_share_close(struct hy_share *share);

/* Joins an open job and runs some of its tasks. Runs no further task while *urgent is not 0. False:
 * no job to join. */
bool hy_share_help(const atomic_uint *urgent);

/* True on a thread that is running a task. */
bool hy_share_is_inside(void);

/* Runs all tasks on the calling thread, as if in a job. */
void hy_share_run_alone(uint32_t count, hy_share_task *task, void *argument);

/* Returns a number that changes with each opened job. */
unsigned hy_shares_opened(void);

/* Returns the number of open jobs, including jobs whose last tasks are running. */
unsigned hy_shares_open_count(void);

void hy_shares_forget(void); /* in a child of fork(): no helper exists */

/* Pauses between two reads of a value that another thread will change. With a high number of reads
 * (`looks`) the other thread probably has no core, and the pause yields the current core. */
void hy_share_pause(unsigned looks);

#endif
