#ifndef HY_RUNTIME_MEMORY_WATCH_H
#define HY_RUNTIME_MEMORY_WATCH_H

#include "common/list.h"
#include "runtime/fork_guard.h"

#include <stdint.h>

/*
 * A subscription to the destruction of memory objects. `invalidate` gets the id of the pool, on any
 * thread, possibly before start has returned. The caller owns the struct and keeps it valid until
 * stop.
 */
struct hy_memory_watch {
    void (*invalidate)(void *context, uint64_t id);
    void *context;
    LIST_ENTRY(hy_memory_watch) entry;
};

void hy_memory_watch_start(struct hy_memory_watch *watch,
                           void (*invalidate)(void *context, uint64_t id), void *context);
void hy_memory_watch_stop(struct hy_memory_watch *watch); /* after the return no call is running */

/* Notifies all watches that the memory of pool `id` is destroyed. */
void hy_memory_watches_notify(uint64_t id);

void hy_memory_watches_fork(enum hy_fork_phase phase); /* called by hy_memory_fork */

#endif
