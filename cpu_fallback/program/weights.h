#ifndef HY_CPU_FALLBACK_PROGRAM_WEIGHTS_H
#define HY_CPU_FALLBACK_PROGRAM_WEIGHTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/error.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/memory.h"

#define HY_CPU_KERNEL_NAME 16u /* room for the name of a kernel that packs, NUL included */

/* Weights in the order of one kernel, and what they are good for: the same kernel, for a call that
 * needs as many bytes in the same layout (hy_conv_layout). */
struct hy_cpu_packed {
    const void *bytes; /* aligned to HY_KERNEL_ALIGNMENT */
    uint64_t length;
    uint32_t layout;
    bool reads_filter; /* the kernel reads the filter beside them */
    bool is_borrowed;  /* from a cache, or in a room: not the slot's to free */
    char kernel[HY_CPU_KERNEL_NAME];
    const struct hy_host *host; /* that has been asked for the bytes, unless borrowed */
    void *reservation;          /* the host's */
};

/*
 * One block for the packed weights of many operations, one behind the other, in large pages where
 * the system has them. All zero bytes has no room.
 */
struct hy_cpu_weights_room {
    struct hy_cpu_block block;
    _Atomic size_t used;
};

/*
 * The packed weights of one operation whose filter and bias are constant: made at first use, or
 * taken from a cache, then shared by every plan and execution of the prepared model. All zero bytes
 * is an empty slot.
 */
struct hy_cpu_weights {
    _Atomic(struct hy_cpu_packed *) packed;
    struct hy_cpu_weights_room *room; /* or NULL; what finds none in it has memory of its own */
    const struct hy_host *host;       /* that is asked for it, or NULL */
};

/* Weights as a caller wants them: `fill` makes them, 0 when it is out of memory. */
struct hy_cpu_packing {
    const char *kernel;
    uint32_t layout;
    size_t length;
    bool reads_filter;
    int (*fill)(const void *context, void *bytes);
    const void *context;
};

/* Weights that suit what is wanted, made unless some are there already; NULL: what is there does
 * not suit. Several threads may call it at once. HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_weights_take(struct hy_cpu_weights *slot,
                                               const struct hy_cpu_packing *packing,
                                               const void **packed, struct hy_error *err);

/*
 * The packed weights, made from `filter` and `bias` unless they are there already. NULL: those that
 * are there do not suit this call, or there are none, and `filter` or `bias` is NULL. Several
 * threads may call it at once. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot,
                                              const struct hy_conv_kernel *kernel,
                                              const struct hy_conv_params *params,
                                              const void *filter, const void *bias,
                                              const void **packed, struct hy_error *err);

/* The same, of weights that are there already: NULL where there are none that suit the call. */
const void *hy_cpu_weights_find(const struct hy_cpu_weights *slot,
                                const struct hy_conv_kernel *kernel,
                                const struct hy_conv_params *params);

/*
 * Chooses between a kernel and its lesser kernels for a call. A kernel whose packed weights are in
 * the slot comes first, since the filter itself may be gone; else the kernel that pays. `slot` may
 * be NULL.
 */
const struct hy_conv_kernel *hy_cpu_weights_kernel(const struct hy_cpu_weights *slot,
                                                   const struct hy_conv_kernel *kernel,
                                                   const struct hy_conv_params *params);

/* Gives pages of the room back that no weights lie in. Not while weights are packed. */
void hy_cpu_weights_room_trim(struct hy_cpu_weights_room *room);

/* What is in the slot, or NULL. */
const struct hy_cpu_packed *hy_cpu_weights_peek(const struct hy_cpu_weights *slot);

void hy_cpu_weights_finish(struct hy_cpu_weights *slot);

#endif
