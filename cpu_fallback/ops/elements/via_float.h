#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_VIA_FLOAT_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_VIA_FLOAT_H

#include "cpu_fallback/program/op.h"

/* Quantized tensors with an operation of float32: DEQUANTIZE before and QUANTIZE behind. Input and
 * output have the same type, and a single scale each. */
struct hy_cpu_via_float {
    uint32_t bytes;         /* per element */
    size_t count;           /* elements per tensor */
    hy_dequantize_fn *load; /* NULL: not initialized */
    hy_quantize_fn *store;
    float in_scale;
    int32_t in_zero_point;
    struct hy_quantize_params out; /* `count` is 0 */
};

/* Errors: HY_FAILED (no kernels for the types). */
HY_MUST_CHECK enum hy_code hy_cpu_via_float_init(const struct hy_kernel_table *kernels,
                                                 const struct hy_value *in,
                                                 const struct hy_value *out,
                                                 struct hy_cpu_via_float *via_float,
                                                 struct hy_error *err);

void hy_cpu_via_float_load(const struct hy_cpu_via_float *via_float, size_t count, const void *in,
                           float *out);
void hy_cpu_via_float_store(const struct hy_cpu_via_float *via_float, size_t count, const float *in,
                            void *out);

/* True for extension operations with a scale. NNAPI's own 8-bit operations are computed
 * differently. */
bool hy_cpu_runs_via_float(const struct hy_call *call);

/* The whole input 0 as float32, at the start of the step's scratch. `take` reserves the scratch and
 * initializes `reals`, `open` converts input 0 and returns the floats, `close` converts the floats
 * to output 0. Errors: HY_FAILED (no kernels for the types, or the input is too large). */
HY_MUST_CHECK enum hy_code hy_cpu_via_float_alloc(const struct hy_cpu_resolve_ctx *ctx,
                                                  struct hy_cpu_step *step,
                                                  struct hy_cpu_via_float *via_float,
                                                  struct hy_error *err);
float *hy_cpu_via_float_open(const struct hy_cpu_via_float *via_float,
                             const struct hy_cpu_work *work);
void hy_cpu_via_float_close(const struct hy_cpu_via_float *via_float,
                            const struct hy_cpu_work *work);

/* Applies an elementwise float32 kernel, a block at a time. */
void hy_cpu_via_float_apply(const struct hy_cpu_via_float *via_float, hy_unary_fn *kernel,
                            const struct hy_unary_params *params, const void *in, void *out);

#endif
