#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_THROUGH_REALS_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_THROUGH_REALS_H

#include "cpu_fallback/program/op.h"

/* Quantised tensors whose operation is that of float32: DEQUANTIZE before, QUANTIZE behind. Input
 * and output have one type and one scale each. */
struct hy_cpu_through_reals {
    uint32_t bytes;         /* of an element */
    size_t count;           /* elements of a whole tensor */
    hy_dequantize_fn *load; /* NULL: not initialised */
    hy_quantize_fn *store;
    float in_scale;
    int32_t in_zero_point;
    struct hy_quantize_params out; /* count is 0 */
};

/* HY_FAILED where there are no kernels for the types. */
HY_MUST_CHECK enum hy_code hy_cpu_through_reals_init(const struct hy_kernel_table *kernels,
                                                     const struct hy_value *in,
                                                     const struct hy_value *out,
                                                     struct hy_cpu_through_reals *reals,
                                                     struct hy_error *err);

void hy_cpu_through_reals_load(const struct hy_cpu_through_reals *reals, size_t count,
                               const void *in, float *out);
void hy_cpu_through_reals_store(const struct hy_cpu_through_reals *reals, size_t count,
                                const float *in, void *out);

/* Whether a call is one: NNAPI's own operations of 8 bits have other forms. */
bool hy_cpu_goes_through_reals(const struct hy_call *call);

/* The whole of input 0 as float32 in scratch memory, from its beginning on: takes the memory and
 * initialises; loads it, and stores what has become of it as output 0. */
HY_MUST_CHECK enum hy_code hy_cpu_through_reals_take(const struct hy_cpu_site *site,
                                                     struct hy_cpu_step *step,
                                                     struct hy_cpu_through_reals *reals,
                                                     struct hy_error *err);
float *hy_cpu_through_reals_open(const struct hy_cpu_through_reals *reals,
                                 const struct hy_cpu_work *work);
void hy_cpu_through_reals_close(const struct hy_cpu_through_reals *reals,
                                const struct hy_cpu_work *work);

/* A function of single elements, a block at a time. `kernel` is of float32. */
void hy_cpu_through_reals_apply(const struct hy_cpu_through_reals *reals, hy_unary_fn *kernel,
                                const struct hy_unary_params *params, const void *in, void *out);

#endif
