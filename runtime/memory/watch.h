#ifndef HY_RUNTIME_MEMORY_WATCH_H
#define HY_RUNTIME_MEMORY_WATCH_H

#include "common/list.h"
#include "runtime/fork_guard.h"

#include <stdint.h>

/*
 * A wish to be told when memory objects die, with the id of their pool; may be called from any
 * thread, also before start has returned. The struct is the caller's and must stay until stop.
 */
struct hy_memory_watch {
    void (*forget)(void *context, uint64_t id);
    void *context;
    LIST_ENTRY(hy_memory_watch) entry;
};

void hy_memory_watch_start(struct hy_memory_watch *watch,
                           void (*forget)(void *context, uint64_t id), void *context);
void hy_memory_watch_stop(struct hy_memory_watch *watch); /* when it returns no call is under way */

/* Tells every watch that the memory of pool `id` dies. */
void hy_memory_watches_tell(uint64_t id);

void hy_memory_watches_fork(enum hy_fork_phase phase); /* by hy_memory_fork */

#endif
