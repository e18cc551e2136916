#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_SUMS_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_SUMS_H

#include "common/call.h"
#include "cpu_fallback/kernels/conv.h"

/*
 * How large the sums of a quantised convolution can be, whatever its inputs are: fast kernels add
 * in 32 bits, reference kernels in 64.
 *
 * The largest magnitude that the products of one output can add up to, without the bias: of the
 * filter, or of any filter where `filter` has no data. `params` has shapes and zero points.
 */
int64_t hy_conv_largest_products(const struct hy_call *call, const struct hy_conv_params *params);

/* Whether sums of products up to `products` fit int32 with each of these biases. */
bool hy_conv_sums_fit(int64_t products, const int32_t *bias, uint32_t count);

#endif
