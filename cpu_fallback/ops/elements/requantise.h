#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H

#include "cpu_fallback/program/op.h"

/*
 * From one quantised type, or int32, to another, with the two roundings of hy_scale_half_away, kept
 * within bounds: x = q - zero_in; zero_out + x * above for x >= 0, else zero_out + x * below, or
 * zero_out - x * below.
 */
struct hy_cpu_requantise {
    hy_widen_fn *load;
    hy_narrow_fn *store;
    struct hy_multiplier above, below;
    bool negates_below;
    int32_t in_zero_point, out_zero_point;
    int32_t min, max; /* those of the output's type at least */
    uint32_t in_bytes, out_bytes;
};

/* The same numbers in the other quantisation. HY_FAILED for other types, and for an input without a
 * scale. */
HY_MUST_CHECK enum hy_code hy_cpu_requantise_init(const struct hy_kernel_table *kernels,
                                                  const struct hy_value *in,
                                                  const struct hy_value *out,
                                                  struct hy_cpu_requantise *requantise,
                                                  struct hy_error *err);

/* Makes numbers below zero `alpha` times as large. */
void hy_cpu_requantise_slope(struct hy_cpu_requantise *requantise, const struct hy_value *in,
                             const struct hy_value *out, float alpha);

/* Keeps real numbers between `min` and `max`. */
void hy_cpu_requantise_clamp(struct hy_cpu_requantise *requantise, const struct hy_value *out,
                             float min, float max);

/* `out` may be `in` where both have as many bytes. */
void hy_cpu_requantise(const struct hy_cpu_requantise *requantise, size_t count, const void *in,
                       void *out);

#endif
