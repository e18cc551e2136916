#ifndef HY_RUNTIME_EXECUTION_BURST_H
#define HY_RUNTIME_EXECUTION_BURST_H

#include "runtime/compile/compilation.h"

struct hy_execution;

/*
 * A burst: repeated executions of one compilation. The driver of each step gets a burst of its own
 * for the life of this object. One execution at a time.
 */
struct hy_burst;

/*
 * Opens a burst. Executions run the ordinary way on a driver without bursts, or after the driver
 * fails to open a burst. Errors: BAD_STATE (a compilation that is not finished or failed),
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_burst_create(struct hy_compilation *compilation,
                                           struct hy_burst **ret, struct hy_error *err);
void hy_burst_destroy(struct hy_burst *burst); /* NULL is allowed */

/*
 * Runs an execution of the same compilation on this thread. Errors: BAD_DATA (another compilation),
 * BAD_STATE (the burst is busy): the execution is unchanged; those of hy_execution_begin and
 * hy_execution_run.
 */
HY_MUST_CHECK enum hy_code hy_burst_compute(struct hy_burst *burst, struct hy_execution *execution,
                                            struct hy_error *err);

/* The driver's burst for a step of the plan, or NULL. */
void *hy_burst_step(const struct hy_burst *burst, uint32_t step);

#endif
