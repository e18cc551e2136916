#ifndef HY_RUNTIME_OPEN_TENSORS_H
#define HY_RUNTIME_OPEN_TENSORS_H

#include "runtime/execute/binding.h"

/*
 * Boundary tensors of unknown size during a run: what one step's driver has told, and answer.h has
 * checked, goes into the requests of the steps that read it. A plan without such boundary tensors
 * has nothing to do here.
 */

/* After a success of the step: while shapes are as in the run before, requests stay as they are. */
void hy_open_tensors_pass_on(struct hy_binding *binding, const struct hy_bound_step *bound);

/*
 * After OUTPUT_INSUFFICIENT_SIZE: gives the boundary tensors that were too small more room, and the
 * step's request says so. INSUFFICIENT_SIZE (an output of the app's was too small, too, and nothing
 * has changed); OUT_OF_MEMORY; FAILED (a limit).
 */
HY_MUST_CHECK enum hy_code hy_open_tensors_grow(struct hy_binding *binding,
                                                struct hy_bound_step *bound, struct hy_error *err);

#endif
