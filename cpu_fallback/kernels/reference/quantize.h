#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_QUANTIZE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_QUANTIZE_H

#include "cpu_fallback/kernels/types.h"

/**
 * QUANTIZE, NNAPI code 72, feature level 3.
 *   in   f32, f16, bf16, f64 (rounded to float32 first)
 *   out  u8, s8, u16, s16: zero_point + round_half_away(in / scale), clamped; NaN gives the largest
 *        value
 */
struct hy_quantize_params {
    size_t count;
    float scale;
    int32_t zero_point;
};

typedef void hy_quantize_fn(const struct hy_quantize_params *params, const void *in, void *out);

#endif
