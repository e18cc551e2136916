#ifndef HY_RUNTIME_WORKER_POOL_H
#define HY_RUNTIME_WORKER_POOL_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * The one pool of threads in a process: as many as HALYARD_CPU_THREADS says, or as the process may
 * keep processors busy; two at least, since one may be waiting for a driver. They are made when
 * they are needed and kept for the life of the process. A child of fork() starts without any and
 * makes its own.
 *
 * They run asynchronous executions, which wait in one line for each priority: a free worker takes
 * from the highest that is not empty, and low work may starve, as NNAPI allows. Workers that find
 * nothing there help other threads with what these share. Such work is given up, between two of its
 * tasks, for an execution that waits.
 */

/* A piece of work, inside a struct of whoever brings it; it may be gone as soon as `run` starts. */
struct hy_work {
    int32_t priority; /* HY_PRIORITY_* */
    void (*run)(struct hy_work *work);
    struct hy_work *next;
};

/* False when no thread is there and none can be made: nothing has happened, run it yourself. */
bool hy_worker_pool_add(struct hy_work *work);

/* How many threads the pool may have: >= 1, constant. */
uint32_t hy_worker_pool_threads(void);

/* How many threads may share one piece of work, the calling thread included: >= 1, constant. No
 * more than the processors that the process may keep busy: threads that take turns on a processor
 * compute no faster, and each wait for one another. */
uint32_t hy_worker_pool_width(void);

/*
 * Calls task(argument, i) once for each i < count, on this thread and on workers that are idle, and
 * returns when all are done. This thread does it alone where none is idle, where the width is 1
 * (and then without a lock or a system call), and inside of a task. Nothing is allocated, except
 * for threads.
 */
void hy_worker_pool_share(uint32_t count, void (*task)(void *argument, uint32_t index),
                          void *argument);

/* From now on at most `threads` threads share what this thread brings, itself among them; 0: as
 * many as there are. Gives the limit before. */
uint32_t hy_worker_pool_limit(uint32_t threads);

/*
 * Workers that find nothing to do stay awake for `ns` from now, HY_MAX_AWAKE_NS at most, instead of
 * their usual time, which is shorter. A worker that sleeps already is not woken. Later calls extend
 * the time and never shorten it.
 */
void hy_worker_pool_keep_awake(uint64_t ns);

#endif
