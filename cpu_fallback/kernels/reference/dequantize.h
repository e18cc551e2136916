#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_DEQUANTIZE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_DEQUANTIZE_H

#include "cpu_fallback/kernels/types.h"

/**
 * DEQUANTIZE, NNAPI code 6, feature level 1: out = scale * (in - zero_point).
 *   in   [outer, channels, inner]   u8, s8 (also symmetric and per-channel), u16, s16, i32
 *   out  the same shape             f32, f16, bf16, f64 (computed in double)
 * Per-tensor quantisation is channels = 1 with one scale. Per-channel and i32 tensors pass zero
 * point 0.
 */
struct hy_dequantize_params {
    size_t outer, channels, inner;
    const float *scales; /* one per channel */
    int32_t zero_point;
};

typedef void hy_dequantize_fn(const struct hy_dequantize_params *params, const void *in, void *out);

#endif
