#ifndef HY_RUNTIME_OPEN_TENSORS_H
#define HY_RUNTIME_OPEN_TENSORS_H

#include "runtime/execute/binding.h"

/*
 * Boundary tensors of unknown size during a run. The shapes reported by the driver of a step,
 * checked by answer.h, go into the requests of the reading steps. A plan without boundary tensors
 * of unknown size skips these functions.
 */

/* Call after a successful step. Requests change only if a shape differs from the previous run. */
void hy_open_tensors_pass_on(struct hy_binding *binding, const struct hy_bound_step *bound);

/*
 * Call after OUTPUT_INSUFFICIENT_SIZE. Enlarges the insufficient boundary tensors and updates the
 * step's request. Errors: INSUFFICIENT_SIZE (an output of the app was too small, too; nothing has
 * changed), OUT_OF_MEMORY, FAILED (a limit).
 */
HY_MUST_CHECK enum hy_code hy_open_tensors_grow(struct hy_binding *binding,
                                                struct hy_bound_step *bound, struct hy_error *err);

#endif
