#include "cpu_fallback/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

#define LARGE_PAGE ((uintptr_t)2 << 20)

/* Whole large pages only, so that what lies beside the block is left alone. It is a wish: systems
 * that know no large pages go on as they do. */
static void wish_for_large_pages(void *bytes, size_t size)
{
    const uintptr_t from = ((uintptr_t)bytes + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    const uintptr_t end = ((uintptr_t)bytes + size) & ~(LARGE_PAGE - 1);

    if (size >= HY_CPU_LARGE_BLOCK)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
}

bool hy_cpu_block_reserve(struct hy_cpu_block *block, size_t size)
{
    size_t rounded;

    if (size <= block->size)
        return true;
    if (!hy_round_up_size(size, HY_KERNEL_ALIGNMENT, &rounded) || rounded > PTRDIFF_MAX)
        return false;
    void *bytes = aligned_alloc(HY_KERNEL_ALIGNMENT, rounded);
    if (!bytes)
        return false;
    wish_for_large_pages(bytes, rounded);
    free(block->bytes);
    *block = (struct hy_cpu_block){bytes, rounded};
    return true;
}

void hy_cpu_block_finish(struct hy_cpu_block *block)
{
    free(block->bytes);
    *block = (struct hy_cpu_block){0};
}
