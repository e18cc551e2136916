#ifndef HY_CPU_FALLBACK_OPS_INDICES_H
#define HY_CPU_FALLBACK_OPS_INDICES_H

#include "cpu_fallback/program/op.h"

/*
 * Outputs of indices. Kernels write int32: into the tensor where its type is that, else into
 * scratch, from where hy_cpu_indices_store brings them into TENSOR_INT64 or TENSOR_INT16.
 */

/* Takes scratch for an output of `count` indices. False when it does not fit. */
bool hy_cpu_indices_take(size_t *total, const struct hy_value *output, uint64_t count,
                         size_t *offset);

/* Where a kernel writes them. */
int32_t *hy_cpu_indices_at(const struct hy_cpu_work *work, const struct hy_value *output,
                           size_t offset);

/* Stores the first `count` of them. */
void hy_cpu_indices_store(const struct hy_cpu_work *work, const struct hy_value *output,
                          size_t offset, size_t count);

#endif
