#ifndef HY_RUNTIME_LENT_MEMORY_H
#define HY_RUNTIME_LENT_MEMORY_H

#include "runtime/execute/binding.h"

/*
 * A device cannot reach the memory of another. While something stands in for a step, the arguments
 * that lie in memory of the step's device lie in shared memory instead: inputs are copied there
 * before, outputs back when it has succeeded.
 */
struct hy_lent_memory {
    const struct hy_execution *execution;
    struct hy_bound_step *step;
    uint32_t index;
    struct hy_memory **shared; /* [pool]: in its place; NULL: it stayed. NULL: nothing is lent */
};

/* Whether there is anything to lend. */
bool hy_lent_memory_is_needed(const struct hy_bound_step *step);

/* Changes the request, until it is taken back. `ret` is that of a step that lends nothing before.
 * Errors: FAILED (an output of unknown shape); the device's; OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_lent_memory_lend(struct hy_lent_memory *ret,
                                               const struct hy_execution *execution, uint32_t step,
                                               struct hy_error *err);

/* Copies outputs back. Errors: the device's. */
HY_MUST_CHECK enum hy_code hy_lent_memory_return(struct hy_lent_memory *lent, struct hy_error *err);

/* The request is as it was. One that is zeroed has nothing to take back. */
void hy_lent_memory_take_back(struct hy_lent_memory *lent);

#endif
