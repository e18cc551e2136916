#include "cpu_fallback/buffers/buffer_backing.h"

#include <assert.h>

#include "common/checked.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/kernels/types.h"

struct hy_cpu_backing_block {
    struct hy_cpu_backing_block *smaller;
    uint64_t size;
    struct hy_cpu_block block; /* the whole allocation */
};

/* The description and the bytes are one allocation; the bytes start at this offset. */
#define BYTES_AT ((size_t)HY_KERNEL_ALIGNMENT)

static_assert(sizeof(struct hy_cpu_backing_block) <= BYTES_AT, "the room fits before its bytes");

static struct hy_cpu_backing_block *make(const struct hy_host *host, uint64_t size)
{
    struct hy_cpu_block block = {0};
    size_t total;

    if (size > SIZE_MAX || !hy_add_size((size_t)size, BYTES_AT, &total) ||
        !hy_cpu_block_reserve(host, &block, total))
        return NULL;
    struct hy_cpu_backing_block *backing_block = block.bytes;
    *backing_block = (struct hy_cpu_backing_block){.size = size, .block = block};
    return backing_block;
}

static void discard(const struct hy_cpu_backing_block *backing_block)
{
    struct hy_cpu_block block = backing_block->block;

    hy_cpu_block_finish(&block);
}

void *hy_cpu_backing_get(struct hy_cpu_backing *backing, uint64_t size)
{
    struct hy_cpu_backing_block *largest =
        atomic_load_explicit(&backing->largest, memory_order_acquire);

    while (!largest || largest->size < size) {
        const uint64_t twice = largest ? 2 * largest->size : 0;
        struct hy_cpu_backing_block *backing_block =
            make(backing->host, size > twice ? size : twice);
        if (!backing_block)
            return NULL;
        backing_block->smaller = largest;
        if (atomic_compare_exchange_strong_explicit(&backing->largest, &largest, backing_block,
                                                    memory_order_acq_rel, memory_order_acquire))
            largest = backing_block;
        else
            discard(backing_block); /* another thread was faster */
    }
    return (uint8_t *)largest + BYTES_AT;
}

void hy_cpu_backing_finish(struct hy_cpu_backing *backing)
{
    struct hy_cpu_backing_block *backing_block =
        atomic_load_explicit(&backing->largest, memory_order_acquire);

    while (backing_block) {
        struct hy_cpu_backing_block *smaller = backing_block->smaller;
        discard(backing_block);
        backing_block = smaller;
    }
    atomic_store_explicit(&backing->largest, NULL, memory_order_relaxed);
}
