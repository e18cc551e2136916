#ifndef HY_RUNTIME_WORKER_POOL_H
#define HY_RUNTIME_WORKER_POOL_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * The worker pool of the process. The number of threads is HALYARD_CPU_THREADS, or the number of
 * processors that the process may use; at least two, because a thread may be waiting for a driver.
 * Threads start on demand and live as long as the process. A child of fork() starts with an empty
 * pool.
 *
 * Workers run asynchronous executions, with one queue for each priority: a free worker takes from
 * the highest non-empty queue. Low-priority work may starve, as NNAPI allows. Workers without an
 * execution help with parallel-for jobs of other threads, and leave a job between two tasks if an
 * execution is waiting.
 */

/* A work item, embedded in a struct of the caller. The memory may be freed as soon as `run`
 * starts. */
struct hy_work {
    int32_t priority; /* HY_PRIORITY_* */
    void (*run)(struct hy_work *work);
    struct hy_work *next;
};

/* Queues a work item. False: no thread exists or can be started; nothing has happened, and the
 * caller must run the work. */
bool hy_worker_pool_add(struct hy_work *work);

/* Returns the largest number of threads in the pool: >= 1, constant. */
uint32_t hy_worker_pool_threads(void);

/* Returns the largest number of threads for one job, including the calling thread: >= 1, constant.
 * Never above the number of processors that the process may use, because threads sharing a
 * processor compute no faster and wait for each other. */
uint32_t hy_worker_pool_width(void);

/*
 * Calls task(argument, i) once for each i < count, on the calling thread and on idle workers, and
 * returns when all tasks are done. The calling thread runs all tasks if no worker is idle, if the
 * width is 1 (without a lock or a system call), and inside a task. Allocates nothing, except for
 * threads.
 */
void hy_worker_pool_parallel_for(uint32_t count, void (*task)(void *argument, uint32_t index),
                                 void *argument);

/* Limits the threads of later jobs of the calling thread, including the thread itself; 0: no limit.
 * Returns the previous limit. */
uint32_t hy_worker_pool_limit(uint32_t threads);

/*
 * Keeps idle workers awake for `ns` from now, at most HY_MAX_AWAKE_NS, instead of the shorter
 * default. Does not wake a sleeping worker. Later calls extend the time and never shorten it.
 */
void hy_worker_pool_keep_awake(uint64_t ns);

#endif
