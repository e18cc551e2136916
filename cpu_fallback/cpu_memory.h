#ifndef HY_CPU_FALLBACK_CPU_MEMORY_H
#define HY_CPU_FALLBACK_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * Memory whose size depends on a model or a request. The driver reserves every such allocation with
 * the host first (hy_host.memory_reserve). A refusal of the host leaves the driver in the same
 * state as a failed malloc. Without a host, or with a host without a quota, nothing is reserved.
 */

/* An empty arena whose blocks are reserved with the host. */
struct hy_arena hy_cpu_arena(const struct hy_host *host);

/* Allocates `count` zeroed elements of `size` bytes, aligned for any type. The caller frees the
 * array with hy_cpu_free, on any thread. NULL: out of memory. */
void *hy_cpu_calloc(const struct hy_host *host, size_t count, size_t size);
void hy_cpu_free(void *bytes); /* NULL is allowed */

/* Frees `size` bytes from hy_cpu_calloc, and returns whole pages to the system at once. The C
 * library would keep the pages. */
void hy_cpu_free_pages(void *bytes, size_t size);

/*
 * A growing block of memory for reuse, aligned to HY_KERNEL_ALIGNMENT. All zero bytes is an empty
 * block. The system is asked to back every HY_CPU_LARGE_PAGE bytes of a block with a large page:
 * one large page is mapped in the time of thirty small pages, and kernels have fewer TLB misses.
 */
#define HY_CPU_LARGE_PAGE ((size_t)2 << 20)

struct hy_cpu_block {
    void *bytes;
    size_t size;
    const struct hy_host *host; /* holds the reservation */
    void *reservation;          /* handle of the host */
};

/* Grows the block to at least `size` bytes; growing discards the contents. False: out of memory,
 * and the block is unchanged. */
bool hy_cpu_block_reserve(const struct hy_host *host, struct hy_cpu_block *block, size_t size);

/* The size to reserve for `size` bytes that will be written soon: includes the rest of the last
 * large page if `size` uses at least a quarter of it. */
size_t hy_cpu_large_size(size_t size);

/* Returns the whole pages behind the first `used` bytes to the system. A later access finds
 * zeros. */
void hy_cpu_block_trim(const struct hy_cpu_block *block, size_t used);

void hy_cpu_block_finish(struct hy_cpu_block *block);

#endif
