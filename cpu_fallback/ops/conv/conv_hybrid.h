#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_HYBRID_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_HYBRID_H

#include "cpu_fallback/program/op.h"

/* Convolutions of float32 with a filter of int8, site->stored_filter. */

/* The kernel that packs the int8 filter as bytes; NULL: no kernel for this call, or the filter is
 * floats. */
const struct hy_conv_kernel *hy_conv_hybrid(const struct hy_cpu_resolve_ctx *ctx,
                                            const struct hy_conv_params *params);

/* Approximate size in bytes of a stored filter after packing. */
uint64_t hy_conv_hybrid_packed_bytes(const struct hy_kernel_table *kernels, int32_t operation,
                                     const struct hy_value *stored);

/* The filter to pack for `kernel`: floats in `memory`, or the stored bytes, with their scales set
 * in `params`. NULL: out of memory. */
const void *hy_conv_load_stored(const struct hy_cpu_resolve_ctx *ctx,
                                const struct hy_conv_kernel *kernel, struct hy_arena *memory,
                                struct hy_conv_params *params);

#endif
