#ifndef HY_CPU_FALLBACK_MEMORY_H
#define HY_CPU_FALLBACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * All memory of this driver whose size a model or a request decides comes from here, and the host
 * is asked for it first (hy_host.memory_reserve). A host that answers no leaves the driver in the
 * same state as a machine without memory. A NULL host, and one without a quota, are not asked.
 */

/* An empty arena whose blocks the host is asked for. */
struct hy_arena hy_cpu_arena(const struct hy_host *host);

/* `count` elements of zeros, aligned for any type; hy_cpu_free gives them back, from any thread.
 * NULL: out of memory. */
void *hy_cpu_calloc(const struct hy_host *host, size_t count, size_t size);
void hy_cpu_free(void *bytes); /* takes NULL */

/* The same for a large piece of `size` bytes: the pages that lie wholly in it go back to the
 * system, where the C library would keep them. */
void hy_cpu_free_pages(void *bytes, size_t size);

/*
 * A block that grows and is kept, aligned to HY_KERNEL_ALIGNMENT. All zero bytes is empty. For each
 * HY_CPU_LARGE_PAGE of it the system is asked for a large page: one comes in the time of thirty
 * small ones, and kernels find what is in it faster.
 */
#define HY_CPU_LARGE_PAGE ((size_t)2 << 20)

struct hy_cpu_block {
    void *bytes;
    size_t size;
    const struct hy_host *host; /* that has been asked */
    void *reservation;          /* the host's */
};

/* Makes room for `size` bytes; contents are lost when it has to grow. False: out of memory, and the
 * block is as it was. */
bool hy_cpu_block_reserve(const struct hy_host *host, struct hy_cpu_block *block, size_t size);

/* The bytes to make room for where memory that is written once is to come soon: with the rest of
 * the last large page if a quarter of that is used. */
size_t hy_cpu_large_size(size_t size);

/* Gives the pages of a block back to the system that lie wholly behind the first `used` bytes. They
 * come again, zeroed, when they are written. */
void hy_cpu_block_trim(const struct hy_cpu_block *block, size_t used);

void hy_cpu_block_finish(struct hy_cpu_block *block);

#endif
