#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_PIECES_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_PIECES_H

#include "cpu_fallback/kernels/conv.h"

/* How many units of a convolution to compute between two looks at whether it is wanted (stop.h): of
 * a quarter of a millisecond or so each; kernels that are slower look by themselves. */
size_t hy_conv_piece(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params);

/* Runs units [first, end), `piece` of them at a time. */
void hy_conv_run_pieces(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params,
                        size_t piece, const void *in, const void *weights, const void *bias,
                        void *out, void *scratch, size_t first, size_t end);

#endif
