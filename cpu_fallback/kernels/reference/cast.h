#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CAST_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CAST_H

#include "cpu_fallback/kernels/types.h"

/**
 * CAST, NNAPI code 45, feature level 3, between different types of f32, f16, i32 and u8. Stored
 * numbers are converted without their quantisation. Conversions to integers truncate towards zero
 * and saturate; NaN becomes 0. Conversions to reals round to nearest.
 */
typedef void hy_cast_fn(size_t count, const void *in, void *out);

#endif
