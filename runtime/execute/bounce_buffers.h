#ifndef HY_RUNTIME_BOUNCE_BUFFERS_H
#define HY_RUNTIME_BOUNCE_BUFFERS_H

#include "runtime/execute/binding.h"

/*
 * Bounce buffers for a fallback device. A device cannot access the memory of another device, and
 * some devices do not support memory by address. The fallback gets shared memory instead: inputs
 * are copied to the bounce buffers before the run, outputs are copied back after a success. Memory
 * chosen by the app (a file, an image) is not replaced.
 */
struct hy_bounce_buffers {
    const struct hy_execution *execution;
    struct hy_bound_step *step;
    uint32_t index;
    struct hy_pool *pools;     /* the original pools */
    struct hy_memory **shared; /* [pool]: the bounce buffer; a NULL entry: the pool is not replaced.
                                  NULL: no bounce buffers */
};

/*
 * Creates the bounce buffers for a device and changes the request until retry_without_files. `ret`
 * must be zeroed. Errors: FAILED (an output of unknown shape, or a memory kind that is not replaced
 * and that the device does not support); those of the step's device; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_bounce_buffers_install(struct hy_bounce_buffers *ret,
                                                     const struct hy_execution *execution,
                                                     uint32_t step,
                                                     const struct hy_runtime_device *device,
                                                     struct hy_error *err);

/* Copies outputs back. Errors: those of the step's device. */
HY_MUST_CHECK enum hy_code hy_bounce_buffers_copy_out(struct hy_bounce_buffers *bounce,
                                                      struct hy_error *err);

/* Restores the request. A zeroed struct is allowed. */
void hy_bounce_buffers_remove(struct hy_bounce_buffers *bounce);

#endif
