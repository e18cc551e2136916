#ifndef HY_TESTS_SCENARIOS_COST_COST_H
#define HY_TESTS_SCENARIOS_COST_COST_H

#include <stdbool.h>

/*
 * Counts calls of the C library's allocator during some work, from any caller in the process. Also
 * detects the first system call of the work. The work must be single threaded.
 */
struct hy_cost {
    bool is_done;              /* false: the process crashed */
    bool work_failed;          /* a call of `work` returned false */
    bool system_calls_watched; /* false: no seccomp filter possible */
    int system_call;           /* number of the first system call, which ended the process; or -1 */
    unsigned long allocations; /* number of attempts */
};

/* False under sanitizers, since a sanitizer replaces the allocator and makes system calls. */
bool hy_cost_can_be_measured(void);

/* Number of allocator calls of this process so far. */
unsigned long hy_cost_allocations(void);

/*
 * Forks a child. The child calls `work` `warm_up` times, then `times` times under watch. Returns
 * false if fork fails.
 */
bool hy_cost_of(bool (*work)(void *argument), void *argument, unsigned warm_up, unsigned times,
                struct hy_cost *cost);

#endif
