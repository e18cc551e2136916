#ifndef HY_CPU_FALLBACK_OPS_CONV_WINOGRAD_H
#define HY_CPU_FALLBACK_OPS_CONV_WINOGRAD_H

#include "cpu_fallback/op.h"

/*
 * Which convolutions of CONV_2D are computed by minimal filtering, with fewer products than the
 * direct kernel needs: those of float32 that the kernel takes (filters of 3x3, not strided, not
 * dilated), whose weights are constant and so are transformed once, where it pays:
 *   - from 16 channels on, of input and output: the transforms of a tile cost as much for each
 *     channel, and what they save is products with all channels of the other side;
 *   - from 4 tiles of 2x2 outputs on, for which transformed weights, 16/9 of the others, are read
 *     together;
 *   - where these do not fit the second cache, from 32 tiles on.
 *
 * Weights that are packed already decide, whatever the image: where the model leaves the size of it
 * open, the first one has chosen.
 *
 * NULL: the direct kernel.
 */
const struct hy_conv_kernel *hy_conv_winograd(const struct hy_cpu_site *site,
                                              const struct hy_conv_params *params);

#endif
