#include "cpu_fallback/program/weights.h"

#include <assert.h>
#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/cpu_memory.h"

/* The description and the bytes are one allocation; the bytes start at this offset. */
#define BYTES_AT ((size_t)HY_KERNEL_ALIGNMENT)

static_assert(sizeof(struct hy_cpu_packed) <= BYTES_AT, "the description fits before the bytes");

static bool suits(const struct hy_cpu_packed *packed, const struct hy_cpu_packing *packing)
{
    return strcmp(packed->kernel, packing->kernel) == 0 && packed->layout == packing->layout &&
           packed->length == packing->length;
}

/* Allocates `size` bytes of the room, a multiple of HY_KERNEL_ALIGNMENT. NULL: not enough left. */
static void *alloc_in_arena(struct hy_cpu_weights_arena *weights_arena, size_t size)
{
    if (!weights_arena)
        return NULL;
    size_t used = atomic_load_explicit(&weights_arena->used, memory_order_relaxed);
    do {
        if (size > weights_arena->block.size - used)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&weights_arena->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (uint8_t *)weights_arena->block.bytes + used;
}

void hy_cpu_weights_arena_trim(struct hy_cpu_weights_arena *weights_arena)
{
    hy_cpu_block_trim(&weights_arena->block,
                      atomic_load_explicit(&weights_arena->used, memory_order_relaxed));
}

static void discard(struct hy_cpu_packed *packed)
{
    if (!packed || packed->is_borrowed)
        return;
    struct hy_cpu_block block = {
        .bytes = packed, .host = packed->host, .reservation = packed->reservation};
    hy_cpu_block_finish(&block);
}

/* NULL: out of memory. */
static struct hy_cpu_packed *pack(const struct hy_cpu_weights *slot,
                                  const struct hy_cpu_packing *packing)
{
    struct hy_cpu_block block = {0};
    size_t size;

    if (!hy_add_size(packing->length, BYTES_AT, &size) ||
        !hy_round_up_size(size, HY_KERNEL_ALIGNMENT, &size))
        return NULL;
    struct hy_cpu_packed *made = alloc_in_arena(slot->weights_arena, size);
    const bool is_borrowed = made != NULL;
    if (!made && !hy_cpu_block_reserve(slot->host, &block, size))
        return NULL;
    if (!made)
        made = block.bytes;
    void *bytes = (uint8_t *)made + BYTES_AT;
    *made = (struct hy_cpu_packed){.bytes = bytes,
                                   .length = packing->length,
                                   .layout = packing->layout,
                                   .reads_filter = packing->reads_filter,
                                   .is_borrowed = is_borrowed,
                                   .host = block.host,
                                   .reservation = block.reservation};
    strncpy(made->kernel, packing->kernel, sizeof made->kernel - 1);
    if (packing->fill(packing->context, bytes))
        return made;
    discard(made);
    return NULL;
}

enum hy_code hy_cpu_weights_acquire(struct hy_cpu_weights *slot,
                                    const struct hy_cpu_packing *packing, const void **packed,
                                    struct hy_error *err)
{
    struct hy_cpu_packed *there = atomic_load_explicit(&slot->packed, memory_order_acquire);

    if (!there) {
        struct hy_cpu_packed *made = pack(slot, packing);
        if (!made)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of packed weights",
                           packing->length);
        if (atomic_compare_exchange_strong_explicit(&slot->packed, &there, made,
                                                    memory_order_acq_rel, memory_order_acquire))
            there = made;
        else /* another thread was faster */
            discard(made);
    }
    *packed = suits(there, packing) ? there->bytes : NULL;
    return HY_OK;
}

/* ---- Those of a convolution ------------------------------------------------------------------ */

struct convolution {
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *params;
    const void *filter, *bias;
};

static int fill_convolution(const void *context, void *bytes)
{
    const struct convolution *conv = context;

    conv->kernel->pack(conv->params, conv->filter, conv->bias, bytes);
    return 1;
}

static struct hy_cpu_packing packing_of(const struct convolution *conv)
{
    return (struct hy_cpu_packing){.kernel = conv->kernel->name,
                                   .layout = hy_conv_layout(conv->kernel, conv->params),
                                   .length = conv->kernel->packed_bytes(conv->params),
                                   .reads_filter = conv->kernel->reads_filter,
                                   .fill = fill_convolution,
                                   .context = conv};
}

enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot, const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params, const void *filter,
                                const void *bias, const void **packed, struct hy_error *err)
{
    const struct convolution conv = {kernel, params, filter, bias};
    const struct hy_cpu_packing packing = packing_of(&conv);

    if (filter && bias)
        return hy_cpu_weights_acquire(slot, &packing, packed, err);
    *packed = hy_cpu_weights_find(slot, kernel, params);
    return HY_OK;
}

const void *hy_cpu_weights_find(const struct hy_cpu_weights *slot,
                                const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params)
{
    const struct hy_cpu_packed *there = hy_cpu_weights_peek(slot);
    const struct convolution conv = {kernel, params, NULL, NULL};
    const struct hy_cpu_packing packing = packing_of(&conv);

    return there && suits(there, &packing) ? there->bytes : NULL;
}

const struct hy_conv_kernel *hy_cpu_weights_kernel(const struct hy_cpu_weights *slot,
                                                   const struct hy_conv_kernel *kernel,
                                                   const struct hy_conv_params *params)
{
    if (!kernel->lesser)
        return kernel;
    for (const struct hy_conv_kernel *at = kernel; slot && at; at = at->lesser)
        if ((!at->suits || at->suits(params)) && hy_cpu_weights_find(slot, at, params) &&
            (!at->ready || at->ready()))
            return at;
    return hy_conv_kernel_for(kernel, params);
}

const struct hy_cpu_packed *hy_cpu_weights_peek(const struct hy_cpu_weights *slot)
{
    return atomic_load_explicit(&slot->packed, memory_order_acquire);
}

void hy_cpu_weights_finish(struct hy_cpu_weights *slot)
{
    discard(atomic_load_explicit(&slot->packed, memory_order_relaxed));
    atomic_store_explicit(&slot->packed, NULL, memory_order_relaxed);
}
