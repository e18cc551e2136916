#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CAST_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CAST_H

#include "cpu_fallback/kernels/types.h"

/**
 * CAST, NNAPI code 45, feature level 3, between different types of f32, f16, i32 and u8.
 * Stored numbers are converted, without their quantisation: to integers they are truncated towards
 * zero and kept within the type, NaN becomes 0; to reals they are rounded to the nearest.
 */
typedef void hy_cast_fn(size_t count, const void *in, void *out);

#endif
