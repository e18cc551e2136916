#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H

#include "cpu_fallback/program/op.h"

/* From one quantised type, or int32, to another: kernels/reference/rescale.h. */
struct hy_cpu_requantise {
    hy_rescale_fn *kernel; /* of both types; NULL: by 64 bits */
    hy_widen_fn *load;
    hy_narrow_fn *store;
    struct hy_rescale_params params; /* count is 0 */
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
