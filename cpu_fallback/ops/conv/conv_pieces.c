#include "cpu_fallback/ops/conv/conv_pieces.h"

#include "cpu_fallback/ops/recurrent/pieces.h"

#define PIECE_US 256.0

/* Products of the convolution; a depthwise convolution has in_c times fewer. */
static double products(const struct hy_conv_params *params)
{
    return (double)params->batch * params->out_h * params->out_w * params->out_c *
           params->filter_h * params->filter_w * params->in_c /
           (params->groups ? params->groups : 1);
}

size_t hy_conv_piece(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params)
{
    const double units = (double)kernel->units(params);
    const double piece = PIECE_US * kernel->products_per_us * units / (products(params) + 1);

    return piece < 1 ? 1 : piece < units ? (size_t)piece : (size_t)units + 1;
}

void hy_conv_run_pieces(const struct hy_conv_kernel *kernel, const struct hy_conv_params *params,
                        size_t piece, const void *in, const void *weights, const void *bias,
                        void *out, void *scratch, size_t first, size_t end)
{
    if (end - first <= piece) { /* usual for layers of small networks */
        kernel->run(params, in, weights, bias, out, scratch, first, end);
        return;
    }
    for (struct hy_pieces at = hy_pieces(end - first, piece); hy_pieces_next(&at);)
        kernel->run(params, in, weights, bias, out, scratch, first + at.first,
                    first + at.first + at.part);
}
