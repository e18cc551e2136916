#ifndef HY_RUNTIME_COMPILE_OBSERVER_H
#define HY_RUNTIME_COMPILE_OBSERVER_H

#include "common/clock.h"
#include "common/error.h"

#include <stdatomic.h>

struct hy_compilation;
struct hy_execution;

/* Bits of `wanted`. */
#define HY_OBSERVES_COMPILATIONS 1u
#define HY_OBSERVES_EXECUTIONS   2u

/*
 * Callbacks for the end of compilations and executions: the diagnostics of a support library and
 * the reports of HALYARD_REPORT. Compilations of the app have an observer; nested compilations have
 * none. Thread-safe.
 */
struct hy_observer {
    const atomic_uint *wanted; /* HY_OBSERVES_*: events to measure */

    /* Finish has succeeded or failed. `begun` is the result of hy_observer_begin. */
    void (*compilation_finished)(struct hy_compilation *compilation, enum hy_code code,
                                 uint64_t begun);

    /* The last reference is released. Plan and model still exist. */
    void (*compilation_freed)(struct hy_compilation *compilation);

    /* Called only if hy_observer_begin returned a time. The execution still counts as running. */
    void (*execution_ended)(const struct hy_execution *execution, enum hy_code code);
};

/* Returns the time now, or 0 if the observer does not measure these events. Costs one relaxed load.
 * `observer` may be NULL. */
static inline uint64_t hy_observer_begin(const struct hy_observer *observer, unsigned bit)
{
    return observer && atomic_load_explicit(observer->wanted, memory_order_relaxed) & bit
               ? hy_clock_now()
               : 0;
}

#endif
