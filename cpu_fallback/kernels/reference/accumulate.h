#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_ACCUMULATE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_ACCUMULATE_H

#include "cpu_fallback/kernels/types.h"

/* Adds `count` elements to as many sums: floats round each sum, integers are modulo 2^n, of BOOL8 a
 * sum is whether one of both holds. */
typedef void hy_accumulate_fn(size_t count, const void *in, void *sums);

#endif
