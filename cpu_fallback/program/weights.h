#ifndef HY_CPU_FALLBACK_PROGRAM_WEIGHTS_H
#define HY_CPU_FALLBACK_PROGRAM_WEIGHTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/error.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/kernels/conv.h"

#define HY_CPU_KERNEL_NAME 16u /* capacity for the name of a packing kernel, with NUL */

/* Packed weights of one kernel. They serve calls of the same kernel with the same length and layout
 * (hy_conv_layout). */
struct hy_cpu_packed {
    const void *bytes; /* aligned to HY_KERNEL_ALIGNMENT */
    uint64_t length;
    uint32_t layout;
    bool reads_filter; /* the kernel also reads the original filter */
    bool is_borrowed;  /* from a cache file, or in a weights arena: not freed by the slot */
    char kernel[HY_CPU_KERNEL_NAME];
    const struct hy_host *host; /* holds the reservation, unless borrowed */
    void *reservation;          /* handle of the host */
};

/*
 * A block for the packed weights of many operations, in large pages if the system has them. All
 * zero bytes has no capacity.
 */
struct hy_cpu_weights_arena {
    struct hy_cpu_block block;
    _Atomic size_t used;
};

/*
 * The packed weights of an operation with constant filter and bias. They are packed at first use or
 * restored from a cache, and shared by all plans and executions of the prepared model. All zero
 * bytes is an empty slot.
 */
struct hy_cpu_weights {
    _Atomic(struct hy_cpu_packed *) packed;
    struct hy_cpu_weights_arena
        *weights_arena;         /* or NULL; weights that do not fit have their own memory */
    const struct hy_host *host; /* for memory quotas, or NULL */
};

/* The weights that a caller needs. `fill` writes them and returns 0 if out of memory. */
struct hy_cpu_packing {
    const char *kernel;
    uint32_t layout;
    size_t length;
    bool reads_filter;
    int (*fill)(const void *context, void *bytes);
    const void *context;
};

/* Gets the weights of the slot, and packs them first if the slot is empty. *packed is NULL if the
 * slot holds other weights. Safe for concurrent use. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_weights_acquire(struct hy_cpu_weights *slot,
                                                  const struct hy_cpu_packing *packing,
                                                  const void **packed, struct hy_error *err);

/*
 * Gets the packed weights for a convolution, and packs `filter` and `bias` first if the slot is
 * empty. *packed is NULL if the slot holds weights for another call, or is empty and `filter` or
 * `bias` is NULL. Safe for concurrent use. Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot,
                                              const struct hy_conv_kernel *kernel,
                                              const struct hy_conv_params *params,
                                              const void *filter, const void *bias,
                                              const void **packed, struct hy_error *err);

/* Finds weights in the slot without packing; NULL if there are none for the call. */
const void *hy_cpu_weights_find(const struct hy_cpu_weights *slot,
                                const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params);

/*
 * Selects `kernel` or a lesser kernel for a call. A kernel whose packed weights are in the slot
 * comes first, since the filter itself may be freed; else the kernel that pays. `slot` may be NULL.
 */
const struct hy_conv_kernel *hy_cpu_weights_kernel(const struct hy_cpu_weights *slot,
                                                   const struct hy_conv_kernel *kernel,
                                                   const struct hy_conv_params *params);

/* Returns unused pages of the arena to the system. Not while another thread packs weights. */
void hy_cpu_weights_arena_trim(struct hy_cpu_weights_arena *weights_arena);

/* The contents of the slot, or NULL. */
const struct hy_cpu_packed *hy_cpu_weights_peek(const struct hy_cpu_weights *slot);

void hy_cpu_weights_finish(struct hy_cpu_weights *slot);

#endif
