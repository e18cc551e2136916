#include "cpu_fallback/weights.h"

#include <stdlib.h>

#include "cpu_fallback/memory.h"

enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot, const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params, const void *filter,
                                const void *bias, const void **packed, struct hy_error *err)
{
    void *there = atomic_load_explicit(&slot->packed, memory_order_acquire);
    struct hy_cpu_block block = {0};

    if (there) {
        *packed = there;
        return HY_OK;
    }
    size_t size = kernel->packed_bytes(params);
    if (!hy_cpu_block_reserve(&block, size ? size : 1))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of packed weights", size);
    kernel->pack(params, filter, bias, block.bytes);
    if (atomic_compare_exchange_strong_explicit(&slot->packed, &there, block.bytes,
                                                memory_order_acq_rel, memory_order_acquire)) {
        *packed = block.bytes;
    } else { /* another thread was faster */
        hy_cpu_block_finish(&block);
        *packed = there;
    }
    return HY_OK;
}

void hy_cpu_weights_finish(struct hy_cpu_weights *slot)
{
    free(atomic_load_explicit(&slot->packed, memory_order_relaxed));
    atomic_store_explicit(&slot->packed, NULL, memory_order_relaxed);
}
