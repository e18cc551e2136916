#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_ACCUMULATE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_ACCUMULATE_H

#include "cpu_fallback/kernels/types.h"

/* Adds `count` elements to `count` sums. Floats round each sum, and integers add modulo 2^n. The
 * sum of two BOOL8 values is their logical or. */
typedef void hy_accumulate_fn(size_t count, const void *in, void *sums);

#endif
