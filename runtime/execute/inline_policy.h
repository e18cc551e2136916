#ifndef HY_RUNTIME_INLINE_POLICY_H
#define HY_RUNTIME_INLINE_POLICY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Decides whether asynchronous runs of a compilation run inline, from the measured time of previous
 * runs. A run shorter than the wake-up of a thread is faster on the calling thread. A zeroed struct
 * has no measurements.
 */
struct hy_plan;

struct hy_inline_policy {
    uint64_t limit;        /* ns: longest time of a quick run */
    bool is_predictable;   /* only built-in devices and no loops: nothing can block */
    atomic_uint trust;     /* confidence in quick runs; see inline_policy.c */
    atomic_uint run_count; /* approximate number of untimed runs */
};

void hy_inline_policy_init(struct hy_inline_policy *inline_policy, const struct hy_plan *plan);

/* True: run inline on the calling thread. */
bool hy_inline_policy_is_quick(const struct hy_inline_policy *inline_policy);

/* Call before and after each run. `start` is the time, or 0 if the run is not timed. A failed run
 * is not measured. */
uint64_t hy_inline_policy_start(struct hy_inline_policy *inline_policy);
void hy_inline_policy_end(struct hy_inline_policy *inline_policy, uint64_t start, bool success);

#endif
