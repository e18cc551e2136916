#include "cpu_fallback/weights.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/memory.h"

/* A description and its bytes are one allocation: the bytes begin here. */
#define BYTES_AT ((size_t)HY_KERNEL_ALIGNMENT)

static_assert(sizeof(struct hy_cpu_packed) <= BYTES_AT, "the description fits before the bytes");

static bool suits(const struct hy_cpu_packed *packed, const struct hy_conv_kernel *kernel,
                  const struct hy_conv_params *params)
{
    return strcmp(packed->kernel, kernel->name) == 0 && packed->in_c == params->in_c &&
           packed->length == kernel->packed_bytes(params);
}

/* NULL: out of memory. */
static struct hy_cpu_packed *pack(const struct hy_conv_kernel *kernel,
                                  const struct hy_conv_params *params, const void *filter,
                                  const void *bias)
{
    const size_t length = kernel->packed_bytes(params);
    struct hy_cpu_block block = {0};
    size_t size;

    if (!hy_add_size(length, BYTES_AT, &size) || !hy_cpu_block_reserve(&block, size))
        return NULL;
    struct hy_cpu_packed *made = block.bytes;
    void *bytes = (uint8_t *)block.bytes + BYTES_AT;
    *made = (struct hy_cpu_packed){.bytes = bytes, .length = length, .in_c = params->in_c};
    strncpy(made->kernel, kernel->name, sizeof made->kernel - 1);
    kernel->pack(params, filter, bias, bytes);
    return made;
}

enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot, const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params, const void *filter,
                                const void *bias, const void **packed, struct hy_error *err)
{
    struct hy_cpu_packed *there = atomic_load_explicit(&slot->packed, memory_order_acquire);

    if (!there && filter && bias) {
        struct hy_cpu_packed *made = pack(kernel, params, filter, bias);
        if (!made)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of packed weights",
                           kernel->packed_bytes(params));
        if (atomic_compare_exchange_strong_explicit(&slot->packed, &there, made,
                                                    memory_order_acq_rel, memory_order_acquire))
            there = made;
        else /* another thread was faster */
            free(made);
    }
    *packed = there && suits(there, kernel, params) ? there->bytes : NULL;
    return HY_OK;
}

const struct hy_cpu_packed *hy_cpu_weights_peek(const struct hy_cpu_weights *slot)
{
    return atomic_load_explicit(&slot->packed, memory_order_acquire);
}

void hy_cpu_weights_finish(struct hy_cpu_weights *slot)
{
    struct hy_cpu_packed *packed = atomic_load_explicit(&slot->packed, memory_order_relaxed);

    if (packed && !packed->is_borrowed)
        free(packed);
    atomic_store_explicit(&slot->packed, NULL, memory_order_relaxed);
}
