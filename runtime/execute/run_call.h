#ifndef HY_RUNTIME_RUN_CALL_H
#define HY_RUNTIME_RUN_CALL_H

#include "runtime/execute/binding.h"

struct hy_burst;

/* What the files of a run share: run.c has the stages, run_step.c the devices of a step, this file
 * the call of a driver. */

/* One run, on the stack of the thread that makes it. */
struct hy_run {
    struct hy_execution *execution;
    const struct hy_burst *burst;  /* NULL outside bursts */
    struct hy_run_options options; /* the message is that of the call */
    uint64_t on_device;            /* sums over the steps so far, HY_NO_TIME once one is unknown */
    uint64_t in_driver;
    bool has_left_plan;    /* a step has failed */
    bool has_lost_buffers; /* it had boundary tensors in memory of its device */
};

/* Where a step can run: a prepared model, or the driver's burst or reusable over it. */
struct hy_run_place {
    const struct hy_runtime_device *device;
    void *prepared;
    void *burst;    /* NULL: outside bursts */
    void *reusable; /* before the burst; NULL: the request is not one to run again */
    uint32_t operation_count;
};

/*
 * Calls the driver there, and checks its answer: again with more room for boundary tensors that
 * turn out too small. Adds to the times of the run; counts the step if the run has left its plan.
 * Errors: the driver's; FAILED (an answer that cannot be true, a boundary tensor that keeps
 * growing); INSUFFICIENT_SIZE (an output of the app's is too small); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_run_call(struct hy_run *run, const struct hy_run_place *place,
                                       struct hy_bound_step *step, struct hy_error *err);

/* Notes for the compilation what the thread has copied since it had copied `before`, see copied.h.
 */
void hy_run_note_copies(const struct hy_run *run, uint64_t before);

#endif
