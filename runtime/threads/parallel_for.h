#ifndef HY_RUNTIME_PARALLEL_FOR_H
#define HY_RUNTIME_PARALLEL_FOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Parallel-for jobs: tasks that several threads run without a lock. The owner opens a job, runs
 * tasks like the helpers, and closes the job. Jobs lie in static slots, because a helper may look
 * at a job while the owner closes it.
 */
struct hy_parallel_job;

typedef void hy_parallel_task(void *argument, uint32_t index);

/* Opens a job. `helpers` is the limit of concurrent helpers, at most 511. NULL: no free slot, or
 * too many tasks. */
struct hy_parallel_job *hy_parallel_job_open(uint32_t count, uint32_t helpers,
                                             hy_parallel_task *task, void *argument);

/* Runs tasks until no task is left. */
void hy_parallel_job_run(struct hy_parallel_job *job);

/* Waits until all helpers have left. Call after hy_parallel_job_run. */
void hy_parallel_job_close(struct hy_parallel_job *job);

/* Joins an open job and runs some of its tasks. Runs no further task while *urgent is not 0. False:
 * no job to join. */
bool hy_parallel_job_help(const atomic_uint *urgent);

/* True on a thread that is running a task. */
bool hy_parallel_job_is_inside(void);

/* Runs all tasks on the calling thread, as if in a job. */
void hy_parallel_job_run_alone(uint32_t count, hy_parallel_task *task, void *argument);

/* Returns a number that changes with each opened job. */
unsigned hy_parallel_jobs_opened(void);

/* Returns the number of open jobs, including jobs whose last tasks are running. */
unsigned hy_parallel_jobs_open_count(void);

void hy_parallel_jobs_reset(void); /* in a child of fork(): no helper exists */

/* Pauses between two reads of a value that another thread will change. With a high number of reads
 * (`looks`) the other thread probably has no core, and the pause yields the current core. */
void hy_parallel_job_pause(unsigned looks);

#endif
