#ifndef HY_CPU_FALLBACK_MEMORY_H
#define HY_CPU_FALLBACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A block that grows and is kept, aligned to HY_KERNEL_ALIGNMENT. All zero bytes is empty. For each
 * HY_CPU_LARGE_PAGE of it the system is asked for a large page: one comes in the time of thirty
 * small ones, and kernels find what is in it faster.
 */
#define HY_CPU_LARGE_PAGE ((size_t)2 << 20)

struct hy_cpu_block {
    void *bytes;
    size_t size;
};

/* Makes room for `size` bytes; contents are lost when it has to grow. False: out of memory. */
bool hy_cpu_block_reserve(struct hy_cpu_block *block, size_t size);

/* The bytes to make room for where memory that is written once is to come soon: with the rest of
 * the last large page if a quarter of that is used. */
size_t hy_cpu_large_size(size_t size);

void hy_cpu_block_finish(struct hy_cpu_block *block);

#endif
