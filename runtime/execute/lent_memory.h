#ifndef HY_RUNTIME_LENT_MEMORY_H
#define HY_RUNTIME_LENT_MEMORY_H

#include "runtime/execute/binding.h"

/*
 * A device cannot reach the memory of another, and not every one takes memory by address. While
 * such a device stands in for a step, what lies there lies in shared memory instead: inputs are
 * copied there before, outputs back when it has succeeded. Memory that the app has chosen itself (a
 * file, an image) stays where it is.
 */
struct hy_lent_memory {
    const struct hy_execution *execution;
    struct hy_bound_step *step;
    uint32_t index;
    struct hy_pool *pools;     /* as they were */
    struct hy_memory **shared; /* [pool]: in its place; NULL: it stayed. NULL: nothing is lent */
};

/*
 * Lends what the device needs, and changes the request until it is taken back. `ret` is zeroed.
 * Errors: FAILED (an output of unknown shape, or memory that is not lent in a kind that the device
 * does not take); those of the step's device; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_lent_memory_lend(struct hy_lent_memory *ret,
                                               const struct hy_execution *execution, uint32_t step,
                                               const struct hy_runtime_device *device,
                                               struct hy_error *err);

/* Copies outputs back. Errors: those of the step's device. */
HY_MUST_CHECK enum hy_code hy_lent_memory_return(struct hy_lent_memory *lent, struct hy_error *err);

/* The request is as it was. One that is zeroed has nothing to take back. */
void hy_lent_memory_take_back(struct hy_lent_memory *lent);

#endif
