#ifndef HY_RUNTIME_RUN_CALL_H
#define HY_RUNTIME_RUN_CALL_H

#include "runtime/execute/binding.h"

struct hy_burst;

/* Shared declarations for the files of a run: run_execution.c has the stages, run_step.c selects
 * the device of a step, and run_call.c calls the driver. */

/* One run, on the stack of its thread. */
struct hy_run {
    struct hy_execution *execution;
    const struct hy_burst *burst;  /* NULL outside bursts */
    struct hy_run_options options; /* the message is that of the current call */
    uint64_t on_device; /* sums over the steps so far; HY_NO_TIME after an unknown time */
    uint64_t in_driver;
    bool has_diverged;     /* a step has failed */
    bool has_lost_buffers; /* a failed step had boundary tensors in device memory */
};

/* The target of a step: a prepared model, or the driver's burst or reusable for the model. */
struct hy_run_target {
    const struct hy_runtime_device *device;
    void *prepared;
    void *burst;    /* NULL outside bursts */
    void *reusable; /* preferred to the burst; NULL: no reusable */
    uint32_t operation_count;
};

/*
 * Calls the driver and checks its results. Calls again with larger boundary tensors if their
 * capacity was insufficient. Adds to the times of the run, and counts the step if the run has left
 * its plan. Errors: those of the driver; FAILED (an invalid result, or a boundary tensor that keeps
 * growing); INSUFFICIENT_SIZE (an output of the app is too small); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_run_call(struct hy_run *run, const struct hy_run_target *position,
                                       struct hy_bound_step *step, struct hy_error *err);

/* Adds the bytes copied by the thread since the count `before` to the compilation, see copied.h. */
void hy_run_note_copies(const struct hy_run *run, uint64_t before);

#endif
