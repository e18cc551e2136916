#ifndef HY_CPU_FALLBACK_BUFFERS_KEPT_H
#define HY_CPU_FALLBACK_BUFFERS_KEPT_H

#include <stdatomic.h>

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/memory.h"

/*
 * Weights that lie in a buffer, in the order in which the kernel of the operation that reads them
 * wants them: made once for what the buffer holds, and used until something else is written. All
 * zero bytes is none. Several threads may use one; nobody waits.
 */
struct hy_cpu_kept {
    atomic_int readers; /* -1: somebody packs. The rest is constant while there are any */
    const struct hy_conv_kernel *kernel; /* NULL: there is nothing yet */
    uint64_t writes;
    uint32_t operation;
    uint32_t layout, groups, filter_h, filter_w;
    size_t length, bias_length;
    struct hy_cpu_block packed, bias;
};

/* The same as an execution has it. */
struct hy_cpu_kept_weights {
    struct hy_cpu_kept *kept; /* NULL: they lie elsewhere */
    uint64_t writes;          /* that were counted before the execution looked at the buffer */
};

void hy_cpu_kept_finish(struct hy_cpu_kept *kept);

/* What one execution needs packed. */
struct hy_cpu_kept_wish {
    const struct hy_host *host; /* that is asked for memory */
    uint32_t operation;         /* of the model */
    uint64_t writes;            /* as above */
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *params;
    const void *filter, *bias; /* bias may lie anywhere */
    size_t bias_length;
};

/* The packed weights, which stay until hy_cpu_kept_release. NULL: not now (others read what was
 * made of something else, or there is no memory): the caller packs for itself. */
const void *hy_cpu_kept_take(struct hy_cpu_kept *kept, const struct hy_cpu_kept_wish *wish);

void hy_cpu_kept_release(struct hy_cpu_kept *kept);

#endif
