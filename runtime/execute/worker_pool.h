#ifndef HY_RUNTIME_WORKER_POOL_H
#define HY_RUNTIME_WORKER_POOL_H

#include <stdbool.h>

/*
 * Threads for asynchronous executions: made when they are needed, never more than there are cores
 * (but two at least), kept for the life of the process. Work waits in line in the order in which it
 * came. A child of fork() starts without any and makes its own.
 */

/* A piece of work, inside a struct of whoever brings it; it may be gone as soon as `run` starts. */
struct hy_work {
    void (*run)(struct hy_work *work);
    struct hy_work *next;
};

/* False when no thread is there and none can be made: nothing has happened, run it yourself. */
bool hy_worker_pool_add(struct hy_work *work);

#endif
