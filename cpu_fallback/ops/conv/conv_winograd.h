#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_WINOGRAD_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_WINOGRAD_H

#include "cpu_fallback/program/op.h"

/*
 * Which convolutions of CONV_2D are computed by minimal filtering, with fewer products than the
 * direct kernel needs: those that the kernel takes (filters of 3x3, not strided, not dilated; of
 * bytes and shorts, whose sums are exact, by whole vectors of input channels and with weights that
 * keep the sums small enough), whose weights are constant and so are transformed once, where it
 * pays:
 *   - from 16 channels on, of input and output (bytes: 32): the transforms of a tile cost as much
 *     for each channel, and what they save is products with all channels of the other side;
 *   - from 4 tiles of 2x2 outputs on (bytes: 16 of 4x4, and 32 with 32 channels on both sides), for
 *     which transformed weights, 16/9 of the others (bytes: 8 times), are read together;
 *   - where these do not fit the second cache, from 32 tiles on; bytes not at all where they are
 *     more than twice as large as it, since their memory would be needed too.
 * Where products of bytes are slow, as on AVX2 alone, they take it from 16 channels and 4 tiles on,
 * with weights of up to four second caches. Shorts are like bytes whose products are not slow.
 *
 * Not where the direct kernel is as quick at its products, as tiles are.
 *
 * Weights that are packed already decide, whatever the image: where the model leaves the size of it
 * open, the first one has chosen.
 *
 * NULL: the direct kernel, `direct`.
 */
const struct hy_conv_kernel *hy_conv_winograd(const struct hy_cpu_site *site,
                                              enum hy_element element,
                                              const struct hy_conv_kernel *direct,
                                              const struct hy_conv_params *params);

#endif
