#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_STEP_BARRIER_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_STEP_BARRIER_H

#include "cpu_fallback/program/op.h"

#define HY_CPU_STEP_BARRIER_PARTS 8u

/*
 * A loop of steps with a barrier after each step. A step has parts that threads compute in
 * parallel. Meant for steps that are too short to start threads per step: threads join once, and
 * then only poll the progress of the others.
 *
 * The first thread computes every part without a thread of its own, so no step waits for a thread
 * that has not arrived. The other threads join between two steps, each with its own part until the
 * end.
 */
struct hy_cpu_step_barrier {
    uint32_t steps, parts; /* parts: 1 to HY_CPU_STEP_BARRIER_PARTS */
    void (*run)(const void *context, uint32_t step, uint32_t part);
    /* The work of a part that needs only the same part of the previous step, or NULL. The thread of
     * the part calls it while other parts may still be in the previous step, instead of waiting. */
    void (*begin)(const void *context, uint32_t step, uint32_t part);
    const void *context;
};

void hy_cpu_step_barrier_run(const struct hy_cpu_work *work,
                             const struct hy_cpu_step_barrier *step_barrier);

#endif
