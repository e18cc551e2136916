#include "cpu_fallback/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

/* How much of a large page has to be used for it to come sooner than small ones. */
#define WORTH (HY_CPU_LARGE_PAGE / 4)

size_t hy_cpu_large_size(size_t size)
{
    const size_t rest = size % HY_CPU_LARGE_PAGE;

    return rest >= WORTH && size <= PTRDIFF_MAX ? size - rest + HY_CPU_LARGE_PAGE : size;
}

/* That there are large pages is a wish: systems that know none, or have none left, give small ones.
 */
static void *make_block(size_t size)
{
    const size_t large = size / HY_CPU_LARGE_PAGE * HY_CPU_LARGE_PAGE;
    void *bytes;

    if (large == 0)
        return aligned_alloc(HY_KERNEL_ALIGNMENT, size);
    if (posix_memalign(&bytes, HY_CPU_LARGE_PAGE, size) != 0) /* of any size */
        return NULL;
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
    void *bytes = make_block(rounded);
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
