#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_SUMS_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_SUMS_H

#include "common/call.h"
#include "cpu_fallback/kernels/conv.h"

/*
 * Bounds of the sums of a quantized convolution for any input. Fast kernels add in 32 bits,
 * reference kernels in 64 bits.
 *
 * The largest magnitude of the sum of products of any output, without the bias: for the filter, or
 * for any filter if `filter` has no data. `params` has shapes and zero points.
 */
int64_t hy_conv_largest_products(const struct hy_call *call, const struct hy_conv_params *params);

/* True if sums of products up to `products` fit int32 with each of the `count` biases. */
bool hy_conv_sums_fit(int64_t products, const int32_t *bias, uint32_t count);

#endif
