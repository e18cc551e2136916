#ifndef HY_RUNTIME_PLAN_COUNTERS_H
#define HY_RUNTIME_PLAN_COUNTERS_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <pthread.h>
#include <stdatomic.h>

struct hy_fallback_step;
struct hy_plan;

/*
 * State of a plan that executions change: times of runs, flags of logged warnings, and fallback
 * steps. Everything else is constant once the plan is prepared.
 */

/* Number of fallback steps of a step, followed by the step itself, compiled anew. */
#define HY_FALLBACK_STEPS 2u
#define HY_FALLBACK_ANEW  HY_FALLBACK_STEPS
#define HY_FALLBACK_COUNT (HY_FALLBACK_STEPS + 1u)

struct hy_step_counters {
    _Atomic(struct hy_fallback_step *) fallback_steps[HY_FALLBACK_COUNT]; /* NULL: not made yet */
    atomic_bool has_logged_cut;     /* logged: truncated cache file of the step */
    atomic_bool has_logged_kinds;   /* logged: unsupported memory of an execution */
    atomic_uint_fast64_t run_count; /* of measured runs */
    atomic_uint_fast64_t total_ns;
    atomic_uint_fast64_t fallback_run_count; /* runs on a fallback step */
};

struct hy_plan_counters {
    struct hy_step_counters *steps;   /* [step] */
    atomic_uint_fast64_t *capacities; /* [tensor]: capacity in bytes. For a tensor of unknown size
                                    the largest need so far, at first a guess */
    uint64_t capacity_limit;          /* largest capacity of a boundary tensor */
    atomic_uint growths;            /* number of enlarged capacities: older blocks are too small */
    atomic_bool has_logged_tensors; /* logged: device memory was not available */
    pthread_mutex_t fallback_lock;  /* protects the making of fallback steps */
};

/* Makes the counters of a plan with final steps and boundary tensors; arrays lie in `arena`. The
 * plan destroys the lock and the fallback steps. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plan_counters_create(const struct hy_plan *plan,
                                                   struct hy_arena *arena,
                                                   struct hy_plan_counters **ret,
                                                   struct hy_error *err);

/* Enlarges the capacity of a boundary tensor of unknown size for later executions, after an
 * execution has needed `bytes`. Any thread may call. */
void hy_plan_counters_note_need(struct hy_plan_counters *counters, uint32_t tensor, uint64_t bytes);

#endif
