#include "cpu_fallback/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

#define LARGE_PAGE ((size_t)2 << 20)

/* How much of a block is to lie in large pages: what is left for the last is worth one, or not. */
static size_t large_part(size_t size)
{
    const size_t rest = size % LARGE_PAGE;
    return size - rest + (rest >= HY_CPU_LARGE_BLOCK ? LARGE_PAGE : 0);
}

/* The first `large` bytes are whole large pages. That there are such is a wish: systems that know
 * none, or have none left, give small ones. */
static void *make_block(size_t size, size_t large)
{
    void *bytes = aligned_alloc(large > 0 ? LARGE_PAGE : HY_KERNEL_ALIGNMENT, size);

    if (bytes && large > 0)
        (void)madvise(bytes, large, MADV_HUGEPAGE);
    return bytes;
}

bool hy_cpu_block_reserve(struct hy_cpu_block *block, size_t size)
{
    size_t rounded;

    if (size <= block->size)
        return true;
    if (!hy_round_up_size(size, HY_KERNEL_ALIGNMENT, &rounded) || rounded > PTRDIFF_MAX)
        return false;
    const size_t large = large_part(rounded);
    if (rounded < large)
        rounded = large;
    void *bytes = make_block(rounded, large);
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
