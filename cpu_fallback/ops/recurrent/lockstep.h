#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_LOCKSTEP_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_LOCKSTEP_H

#include "cpu_fallback/program/op.h"

#define HY_CPU_LOCKSTEP_PARTS 8u

/*
 * Steps that follow each other, each in parts that threads do side by side: a step begins when all
 * parts of the step before are done. For steps that are too short to be handed over one by one:
 * threads come once, and then only look at how far the others are.
 *
 * Whoever comes first does all that nobody else does, so that no step waits for a thread that is
 * not there; the others join between two steps, each for a part of its own, to the end.
 */
struct hy_cpu_lockstep {
    uint32_t steps, parts; /* parts: 1 to HY_CPU_LOCKSTEP_PARTS */
    void (*run)(const void *context, uint32_t step, uint32_t part);
    /* NULL, or what can be done of a part, by the thread that then runs it, when that part is done
     * with the step before and others may be not: while this thread would wait for them. */
    void (*begin)(const void *context, uint32_t step, uint32_t part);
    const void *context;
};

void hy_cpu_lockstep_run(const struct hy_cpu_work *work, const struct hy_cpu_lockstep *lockstep);

#endif
