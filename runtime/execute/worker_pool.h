#ifndef HY_RUNTIME_WORKER_POOL_H
#define HY_RUNTIME_WORKER_POOL_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Threads for asynchronous executions: made when they are needed, never more than there are cores
 * (but two at least), kept for the life of the process. Work waits in one line for each priority,
 * and a free worker takes from the highest that is not empty: low work may starve, as NNAPI allows.
 * A child of fork() starts without any and makes its own.
 */

/* A piece of work, inside a struct of whoever brings it; it may be gone as soon as `run` starts. */
struct hy_work {
    int32_t priority; /* HY_PRIORITY_* */
    void (*run)(struct hy_work *work);
    struct hy_work *next;
};

/* False when no thread is there and none can be made: nothing has happened, run it yourself. */
bool hy_worker_pool_add(struct hy_work *work);

#endif
