#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_WINOGRAD_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_WINOGRAD_H

#include "cpu_fallback/program/op.h"

/*
 * Selects the Winograd kernel (minimal filtering), which needs fewer products than the direct
 * kernel, for a CONV_2D. NULL: use `direct`.
 *
 * The kernel supports 3x3 filters without strides and dilations. 8-bit and 16-bit kernels, whose
 * sums are exact, need whole vectors of input channels and weights with small enough sums. Weights
 * must be constant, since they are transformed once. The kernel is selected if it pays:
 *   - from 16 input and output channels on (8-bit: 32): the transforms of a tile cost the same per
 *     channel, and save products with all channels of the other side;
 *   - from 4 tiles of 2x2 outputs on (8-bit: 16 tiles of 4x4, and 32 tiles with 32 channels on both
 *     sides): the tiles share one read of the transformed weights, which take 16/9 of the memory of
 *     the original weights (8-bit: 8 times);
 *   - from 32 tiles on if the transformed weights exceed the L2 cache. 8-bit: never if the weights
 *     exceed twice the L2 cache, because of their memory.
 * If 8-bit products are slow, as on AVX2 alone, 8-bit kernels pay from 16 channels and 4 tiles on,
 * with weights of up to four times the L2 cache. 16-bit kernels follow the rule of fast 8-bit
 * products.
 *
 * The direct kernel stays if its products are as fast as those of tiles.
 *
 * Weights that are already packed decide for any image size: if the model leaves the image size
 * open, the first image has decided.
 */
const struct hy_conv_kernel *hy_conv_winograd(const struct hy_cpu_resolve_ctx *ctx,
                                              enum hy_element element,
                                              const struct hy_conv_kernel *direct,
                                              const struct hy_conv_params *params);

#endif
