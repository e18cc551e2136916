#ifndef HY_CPU_FALLBACK_KERNELS_TO_FLOAT_H
#define HY_CPU_FALLBACK_KERNELS_TO_FLOAT_H

#include "cpu_fallback/kernels/types.h"

/*
 * Conversions of tensors of any stored type to and from float32, for operations computing in
 * float32. `scale` and `zero_point` are used for quantised elements only. I32, BOOL and U8_S8 are
 * not supported.
 */
void hy_to_float_load(enum hy_element element, float scale, int32_t zero_point, size_t count,
                      const void *in, float *out);

/* Quantised: round_half_away(real / scale + zero_point), clamped; NaN gives the smallest value. */
void hy_to_float_store(enum hy_element element, float scale, int32_t zero_point, size_t count,
                       const float *in, void *out);

#endif
