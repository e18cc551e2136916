#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_REQUANTISE_H

#include "cpu_fallback/program/op.h"

/* Conversion between quantized types and int32: kernels/reference/rescale.h. */
struct hy_cpu_requantise {
    hy_rescale_fn *kernel; /* for equal types; NULL: through 64-bit integers */
    hy_widen_fn *load;
    hy_narrow_fn *store;
    struct hy_rescale_params params; /* `count` is 0 */
    uint32_t in_bytes, out_bytes;
};

/* Initializes a conversion that keeps the real numbers. Errors: HY_FAILED (an unsupported type, or
 * a scale of 0). */
HY_MUST_CHECK enum hy_code hy_cpu_requantise_init(const struct hy_kernel_table *kernels,
                                                  const struct hy_value *in,
                                                  const struct hy_value *out,
                                                  struct hy_cpu_requantise *requantise,
                                                  struct hy_error *err);

/* Multiplies negative numbers by `alpha`. */
void hy_cpu_requantise_slope(struct hy_cpu_requantise *requantise, const struct hy_value *in,
                             const struct hy_value *out, float alpha);

/* Clamps real numbers to [`min`, `max`]. */
void hy_cpu_requantise_clamp(struct hy_cpu_requantise *requantise, const struct hy_value *out,
                             float min, float max);

/* Converts `count` elements. `out` may be `in` if both types have the same size. */
void hy_cpu_requantise(const struct hy_cpu_requantise *requantise, size_t count, const void *in,
                       void *out);

#endif
