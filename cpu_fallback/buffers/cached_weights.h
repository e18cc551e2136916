#ifndef HY_CPU_FALLBACK_BUFFERS_CACHED_WEIGHTS_H
#define HY_CPU_FALLBACK_BUFFERS_CACHED_WEIGHTS_H

#include <stdatomic.h>

#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/kernels/conv.h"

/*
 * Cached packed weights of a buffer. A kernel that packs reads the cache instead of the contents of
 * the buffer; a write to the buffer makes the cache stale. All zero bytes is an empty cache. Any
 * number of threads may use a cache at once, and none waits.
 */
struct hy_cpu_cached_weights {
    atomic_int readers; /* -1: a thread packs; all else is constant while above 0 */
    const struct hy_conv_kernel *kernel; /* NULL: empty */
    uint64_t writes;
    uint32_t operation;
    uint32_t layout, groups, filter_h, filter_w;
    size_t length, bias_length;
    struct hy_cpu_block packed, bias;
};

/* The cached weights of a buffer as seen by an execution. */
struct hy_cpu_cached_weights_ref {
    struct hy_cpu_cached_weights *cached_weights; /* NULL: no buffer */
    uint64_t writes; /* hy_cpu_buffer.writes before the execution read the contents */
};

void hy_cpu_cached_weights_finish(struct hy_cpu_cached_weights *cached_weights);

/* The packed weights that an execution needs. */
struct hy_cpu_cached_weights_request {
    const struct hy_host *host; /* for memory quotas */
    uint32_t operation;         /* index in the model */
    uint64_t writes;            /* see hy_cpu_cached_weights_ref */
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *params;
    const void *filter, *bias; /* bias may be in any memory */
    size_t bias_length;
};

/* Acquires the packed weights, and packs them if necessary. The weights are valid until
 * hy_cpu_cached_weights_release. NULL: other executions use other weights, or out of memory; the
 * caller then packs into its own scratch and releases nothing. */
const void *hy_cpu_cached_weights_acquire(struct hy_cpu_cached_weights *cached_weights,
                                          const struct hy_cpu_cached_weights_request *request);

void hy_cpu_cached_weights_release(struct hy_cpu_cached_weights *cached_weights);

#endif
