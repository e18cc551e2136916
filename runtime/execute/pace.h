#ifndef HY_RUNTIME_PACE_H
#define HY_RUNTIME_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How long asynchronous runs of a compilation take. One that would be over before another thread
 * has even woken up is better made at once, by whoever starts it. All zero bytes is a compilation
 * that nothing is known of.
 */
struct hy_plan;

struct hy_pace {
    uint64_t limit;        /* ns: a run that takes longer is not quick */
    bool is_predictable;   /* nothing but arithmetic: no driver, no loop that can hold it up */
    atomic_uint trust;     /* that runs are quick; see pace.c */
    atomic_uint run_count; /* about as many as were not timed */
};

void hy_pace_init(struct hy_pace *pace, const struct hy_plan *plan);

/* Whether a run is worth no other thread. */
bool hy_pace_is_quick(const struct hy_pace *pace);

/* Before and after each run: `start` is the time, or 0 if this run is not timed. A run that failed
 * tells nothing. */
uint64_t hy_pace_start(struct hy_pace *pace);
void hy_pace_end(struct hy_pace *pace, uint64_t start, bool success);

#endif
