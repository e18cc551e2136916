#ifndef HY_RUNTIME_PLAN_COUNTERS_H
#define HY_RUNTIME_PLAN_COUNTERS_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <pthread.h>
#include <stdatomic.h>

struct hy_fallback_step;
struct hy_plan;

/*
 * What executions change while they share a plan: figures of runs, marks of warnings that the log
 * has already, and fallback steps. Everything else in a plan is constant once the plan is prepared.
 */

/* Fallback steps that a step can have, and behind them the step itself, compiled anew. */
#define HY_FALLBACK_STEPS 2u
#define HY_FALLBACK_ANEW  HY_FALLBACK_STEPS
#define HY_FALLBACK_COUNT (HY_FALLBACK_STEPS + 1u)

struct hy_step_counters {
    _Atomic(struct hy_fallback_step *) fallback_steps[HY_FALLBACK_COUNT]; /* NULL: not made yet */
    atomic_bool has_told_of_cut;    /* that somebody has cut the cache file it is made of */
    atomic_bool has_told_of_kinds;  /* that its device does not take some memory of an execution */
    atomic_uint_fast64_t run_count; /* of measured runs */
    atomic_uint_fast64_t total_ns;
    atomic_uint_fast64_t fallback_run_count; /* runs that a fallback step has done */
};

struct hy_plan_counters {
    struct hy_step_counters *steps; /* [step] */
    atomic_uint_fast64_t *rooms; /* [tensor]: bytes that an execution gives it; for one of unknown
                                    size the most that any has needed, or at first a guess */
    uint64_t room_limit;         /* no boundary tensor is given more bytes */
    atomic_uint growths;         /* of rooms: blocks made before are too small */
    atomic_bool has_told_of_tensors; /* that memory of a device was not to be had */
    pthread_mutex_t fallback_lock;   /* of making fallback steps */
};

/* Counters of a plan whose steps and boundary tensors are final; arrays lie in `arena`. Errors:
 * OUT_OF_MEMORY. The plan destroys the lock and the fallback steps. */
HY_MUST_CHECK enum hy_code hy_plan_counters_create(const struct hy_plan *plan,
                                                   struct hy_arena *arena,
                                                   struct hy_plan_counters **ret,
                                                   struct hy_error *err);

/* Gives a boundary tensor of unknown size more room from the start of later executions, after an
 * execution has needed `bytes`. Any thread. */
void hy_plan_counters_note_need(struct hy_plan_counters *counters, uint32_t tensor, uint64_t bytes);

#endif
