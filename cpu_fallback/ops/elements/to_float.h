#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_TO_FLOAT_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_TO_FLOAT_H

#include "cpu_fallback/program/op.h"

/*
 * Operands as float32 in scratch memory, for operations that compute in float32 for every stored
 * type. A value checked in scratch cannot change afterwards, because no other thread writes to
 * scratch.
 */

/* Reserve scratch for all values of an operand, as float32 or in the stored type. False:
 * overflow. */
bool hy_cpu_to_float_alloc(size_t *total, const struct hy_value *value, size_t *offset);
bool hy_cpu_copy_alloc(size_t *total, const struct hy_value *value, size_t *offset);

/* Copy the values of an operand to `out`, as float32 or in the stored type, and return `out`. */
float *hy_cpu_to_float_load(const struct hy_value *value, void *out);
void *hy_cpu_copy_load(const struct hy_value *value, void *out);

/* The same for values that other threads may change during the read: float32 operands need no
 * scratch and are read in place. */
bool hy_cpu_to_float_view_alloc(size_t *total, const struct hy_value *value, size_t *offset);
const float *hy_cpu_to_float_view(const struct hy_value *value, void *out);

/* Writes `count` values to an operand, from value `first` on. */
void hy_cpu_to_float_store(const struct hy_value *value, size_t first, size_t count,
                           const float *in);

#endif
