#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_ROW_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_ROW_H

#include "cpu_fallback/program/op.h"

/*
 * The kernel for the unpacked constant filter of CONV_2D or FULLY_CONNECTED, for a single output
 * pixel. Each weight is read only once in this case, so a packed copy would cost memory and save no
 * time. NULL: no such kernel, or the call is too small to pay.
 */
const struct hy_conv_kernel *hy_conv_row(const struct hy_cpu_resolve_ctx *ctx,
                                         enum hy_element element,
                                         const struct hy_conv_params *params);

/* Predicts whether hy_conv_row() returns a kernel for a call with known shapes. */
bool hy_conv_row_is_likely(const struct hy_kernel_table *kernels, const struct hy_call *call);

#endif
