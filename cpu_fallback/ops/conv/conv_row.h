#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_ROW_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_ROW_H

#include "cpu_fallback/program/op.h"

/*
 * The kernel that reads the constant filter of CONV_2D or FULLY_CONNECTED where the model has it,
 * for one output pixel: each weight is read once then, packed or not, and the packed copy is saved.
 * NULL: there is none for this call, or it does not pay.
 */
const struct hy_conv_kernel *hy_conv_row(const struct hy_cpu_site *site, enum hy_element element,
                                         const struct hy_conv_params *params);

/* Whether hy_conv_row() will give a kernel to a call whose shapes are known, nearly. */
bool hy_conv_row_is_likely(const struct hy_kernel_table *kernels, const struct hy_call *call);

#endif
