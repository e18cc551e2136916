#ifndef HY_TESTS_COST_COST_H
#define HY_TESTS_COST_COST_H

#include <stdbool.h>

/*
 * Counts what a piece of code asks of the C library's allocator, wherever in the process that is
 * called from, and notices the first system call that it makes. For code on one thread.
 */
struct hy_cost {
    bool is_done;              /* false: the process died, by its own fault */
    bool work_failed;          /* as told by the work */
    bool system_calls_watched; /* false: the system allows no filter */
    int system_call;           /* the number of the first one, which was the end of it; or -1 */
    unsigned long allocations; /* tried */
};

/* A sanitizer has an allocator of its own and makes system calls: nothing can be told there. */
bool hy_cost_can_be_told(void);

/* How often something was asked of the allocator in this process so far. */
unsigned long hy_cost_allocations(void);

/*
 * In a child of fork(): calls `work` first to warm up, then `times` times to be watched. False: no
 * child could be made.
 */
bool hy_cost_of(bool (*work)(void *argument), void *argument, unsigned warm_up, unsigned times,
                struct hy_cost *cost);

#endif
