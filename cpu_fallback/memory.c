#include "cpu_fallback/memory.h"

#include <stdlib.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

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
    free(block->bytes);
    *block = (struct hy_cpu_block){bytes, rounded};
    return true;
}

void hy_cpu_block_finish(struct hy_cpu_block *block)
{
    free(block->bytes);
    *block = (struct hy_cpu_block){0};
}
