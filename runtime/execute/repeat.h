#ifndef HY_RUNTIME_REPEAT_H
#define HY_RUNTIME_REPEAT_H

#include "runtime/execute/run_call.h"

/*
 * Runs that are like the one before, of small networks above all, for which looking at everything
 * anew takes longer than the network: one step on a device of our own, in a burst or not, with
 * arguments that need nothing before or after it, and outputs of which only one answer can be
 * right.
 */

/* After a run without an error: notes in the binding whether the next may go the short way. */
void hy_repeat_learn(const struct hy_run *run);

/* Runs an execution that has begun, and ends it, the short way. False: there is none, or it failed;
 * nothing has ended, and the ordinary way tells what is wrong. */
bool hy_repeat_run(struct hy_execution *execution, int64_t deadline);

#endif
