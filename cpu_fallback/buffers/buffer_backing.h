#ifndef HY_CPU_FALLBACK_BUFFERS_BUFFER_BACKING_H
#define HY_CPU_FALLBACK_BUFFERS_BUFFER_BACKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The memory of a buffer, as a list of allocations. Growing adds a larger allocation; older
 * allocations stay until the end, because other threads may be reading them. Each allocation has at
 * least twice the size of the previous, so the total is at most twice the largest. All zero bytes
 * is no memory.
 */
struct hy_cpu_backing {
    const struct hy_host *host; /* for memory quotas, or NULL */
    _Atomic(struct hy_cpu_backing_block *) largest;
};

/* Gets at least `size` bytes, aligned to HY_KERNEL_ALIGNMENT; size 0 has an address, too. Safe for
 * concurrent use. NULL: out of memory. */
void *hy_cpu_backing_get(struct hy_cpu_backing *backing, uint64_t size);

void hy_cpu_backing_finish(struct hy_cpu_backing *backing);

#endif
