#ifndef HY_CPU_FALLBACK_KERNELS_ADD_H
#define HY_CPU_FALLBACK_KERNELS_ADD_H

#include "cpu_fallback/kernels/broadcast.h"
#include "cpu_fallback/kernels/types.h"

/**
 * ADD, NNAPI code 0, feature level 1.
 *   a, b  any shapes that broadcast   f32, f16, i32, u8, s8; every tensor with its own quantisation
 *   out   the broadcast shape, dense; may be a or b themselves where that one is not repeated
 * i32 adds modulo 2^32 and ignores the activation. Quantised: both sides are scaled to
 * 2 * max(scale_a, scale_b) with 20 fractional bits, added, and scaled to the output; three
 * roundings, bit-exact with TensorFlow Lite.
 */
struct hy_add_params {
    struct hy_broadcast shape;
    struct hy_activation activation;
    /* quantised only; hy_add_set_scales fills the multipliers */
    int32_t a_zero_point, b_zero_point, out_zero_point;
    struct hy_multiplier a_multiplier, b_multiplier, out_multiplier;
};

typedef void hy_add_fn(const struct hy_add_params *params, const void *a, const void *b, void *out);

/* Left shift of both sides before they are scaled. */
#define HY_ADD_SHIFT 20

void hy_add_set_scales(struct hy_add_params *params, float a, float b, float out);

#endif
