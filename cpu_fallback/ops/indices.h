#ifndef HY_CPU_FALLBACK_OPS_INDICES_H
#define HY_CPU_FALLBACK_OPS_INDICES_H

#include "cpu_fallback/program/op.h"

/*
 * Outputs of indices. Kernels write int32: directly to an output of TENSOR_INT32, else to scratch;
 * hy_cpu_indices_store then converts to TENSOR_INT64 or TENSOR_INT16.
 */

/* Reserves scratch for an output of `count` indices. False: overflow. */
bool hy_cpu_indices_alloc(size_t *total, const struct hy_value *output, uint64_t count,
                          size_t *offset);

/* The address for the indices of a kernel. */
int32_t *hy_cpu_indices_at(const struct hy_cpu_work *work, const struct hy_value *output,
                           size_t offset);

/* Converts the first `count` indices to the type of the output, if necessary. */
void hy_cpu_indices_store(const struct hy_cpu_work *work, const struct hy_value *output,
                          size_t offset, size_t count);

#endif
