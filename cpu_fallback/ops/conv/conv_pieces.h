#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_PIECES_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_PIECES_H

#include "cpu_fallback/kernels/conv.h"

/* The number of units between two checks for cancellation (stop.h), about a quarter of a
 * millisecond of work. Slower kernels check by themselves. */
size_t hy_conv_piece(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params);

/* Runs units [first, end), `piece` at a time. */
void hy_conv_run_pieces(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params,
                        size_t piece, const void *in, const void *weights, const void *bias,
                        void *out, void *scratch, size_t first, size_t end);

#endif
