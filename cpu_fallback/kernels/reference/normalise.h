#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_NORMALISE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_NORMALISE_H

#include "cpu_fallback/kernels/lines.h"
#include "cpu_fallback/kernels/types.h"

/**
 * Operations that scale the elements of a line by a norm or statistics of the line; out has the
 * shape of in.
 *
 * L2        L2_NORMALIZATION (NNAPI code 11). f32, f16, u8, s8
 *           x / max(sqrt(sum of x^2), 1e-6); a line with a NaN is NaN
 *           Quantised output has scale 1/128 and zero point 128 (u8) or 0 (s8), computed by the
 *           fixed-point inverse square root of TensorFlow Lite; a line of zeros gives zeros.
 * LOCAL     LOCAL_RESPONSE_NORMALIZATION (13). f32, f16
 *           x * (bias + alpha * sum of x^2 over the `radius` neighbours on both sides)^-beta
 * INSTANCE  INSTANCE_NORMALIZATION (57), a line being a channel of an image. f32, f16
 *           (x - mean) * gamma / sqrt(variance + epsilon) + beta, with the variance of a population
 */
enum hy_normalise {
    HY_NORMALISE_L2,
    HY_NORMALISE_LOCAL,
    HY_NORMALISE_INSTANCE,
    HY_NORMALISE_COUNT
};

struct hy_normalise_params {
    struct hy_lines lines;
    float beta;            /* LOCAL, INSTANCE */
    float alpha, bias;     /* LOCAL */
    size_t radius;         /* LOCAL */
    float gamma, epsilon;  /* INSTANCE */
    int32_t in_zero_point; /* quantised L2 */
};

typedef void hy_normalise_fn(const struct hy_normalise_params *params, const void *in, void *out);

#endif
