#ifndef HY_RUNTIME_REPEAT_H
#define HY_RUNTIME_REPEAT_H

#include "runtime/execute/run_call.h"

/*
 * A fast path for repeated executions of small networks, which skips the checks of a run.
 * Conditions: one step on a built-in device, with or without a burst; arguments without staging or
 * other work before and after the run; outputs with only one valid result.
 */

/* Call after a successful run. Notes in the binding whether the next run may use the fast path. */
void hy_repeat_learn(const struct hy_run *run);

/* Runs and ends a begun execution on the fast path. False: the fast path does not apply or has
 * failed. The execution has not ended then, and the ordinary path reports the error. */
bool hy_repeat_run(struct hy_execution *execution, int64_t deadline);

#endif
