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
 * Who is told how compilations and executions end: diagnostics of a support library, reports of
 * HALYARD_REPORT. The app's compilations have an observer; nested ones have none. Thread-safe.
 */
struct hy_observer {
    const atomic_uint *wanted; /* HY_OBSERVES_*, of events whose time is taken */

    /* Finish has succeeded or failed. `begun`: by hy_observer_begin, as below. */
    void (*compilation_finished)(struct hy_compilation *compilation, enum hy_code code,
                                 uint64_t begun);

    /* The last reference is given up; plan and model are still there. */
    void (*compilation_freed)(struct hy_compilation *compilation);

    /* Only where hy_observer_begin gave a time. The execution still counts as running. */
    void (*execution_ended)(const struct hy_execution *execution, enum hy_code code);
};

/* Something begins: the time now, or 0 where nobody wants to know how long it takes: one relaxed
 * load. `observer` may be NULL. */
static inline uint64_t hy_observer_begin(const struct hy_observer *observer, unsigned bit)
{
    return observer && atomic_load_explicit(observer->wanted, memory_order_relaxed) & bit
               ? hy_clock_now()
               : 0;
}

#endif
