#ifndef HY_CPU_FALLBACK_MEMORY_H
#define HY_CPU_FALLBACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A block that grows and is kept, aligned to HY_KERNEL_ALIGNMENT. All zero bytes is empty. From
 * HY_CPU_LARGE_BLOCK bytes on the system is asked for large pages: a whole one comes in the time of
 * thirty small ones, and kernels find what is in it faster.
 */
#define HY_CPU_LARGE_BLOCK ((size_t)512 << 10)

struct hy_cpu_block {
    void *bytes;
    size_t size;
};

/* Makes room for `size` bytes; contents are lost when it has to grow. False: out of memory. */
bool hy_cpu_block_reserve(struct hy_cpu_block *block, size_t size);

void hy_cpu_block_finish(struct hy_cpu_block *block);

#endif
