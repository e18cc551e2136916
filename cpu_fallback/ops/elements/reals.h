#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_REALS_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_REALS_H

#include "cpu_fallback/program/op.h"

/*
 * Operands as float32 in scratch memory, for operations that compute in it whatever is stored. A
 * value that was checked there stays as it was: nobody else writes to it.
 */

/* Takes scratch for all values of an operand as float32, or as it is stored. False when it does not
 * fit. */
bool hy_cpu_reals_take(size_t *total, const struct hy_value *value, size_t *offset);
bool hy_cpu_copy_take(size_t *total, const struct hy_value *value, size_t *offset);

/* Fills such memory, at `out`, and returns it. */
float *hy_cpu_reals_load(const struct hy_value *value, void *out);
void *hy_cpu_copy_load(const struct hy_value *value, void *out);

/* The same for values that may change while they are read: those in float32 take no scratch, and
 * are read where they lie. */
bool hy_cpu_reals_view_take(size_t *total, const struct hy_value *value, size_t *offset);
const float *hy_cpu_reals_view(const struct hy_value *value, void *out);

/* Writes `count` values of an operand, from value `first` on. */
void hy_cpu_reals_store(const struct hy_value *value, size_t first, size_t count, const float *in);

#endif
