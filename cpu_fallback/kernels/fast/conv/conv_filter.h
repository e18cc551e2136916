#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FILTER_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FILTER_H

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"

#if HY_IS_FLOAT
typedef HY_T filter_type, bias_type;
#else
typedef HY_FILTER_T filter_type;
#if defined(HY_S16)
typedef int64_t bias_type;
#else
typedef int32_t bias_type;
#endif
#endif

/*
 * The position of a filter's weights, in elements. An output channel has `rows` by `columns` runs
 * of `run` weights, in the order of the depth. After every `channels` output channels the filter
 * starts again at the first channel, moved by `phase_step`, with the same biases and multipliers:
 * these are the phases of a transposed convolution.
 */
struct filter {
    const filter_type *values;
    size_t run, depth_step; /* weights of a run, and distance of neighbouring weights */
    size_t rows, columns;
    ptrdiff_t row_step, column_step; /* distances of neighbouring runs */
    size_t channels, channel_step, phase_step;
};

/* A filter with one run for each output channel. */
static inline struct filter plain_filter(const struct hy_conv_params *p, const void *values,
                                         size_t channel_step, size_t depth_step)
{
    return (struct filter){.values = values,
                           .run = conv_depth(p),
                           .depth_step = depth_step,
                           .rows = 1,
                           .columns = 1,
                           .channels = p->out_c,
                           .channel_step = channel_step};
}

/* The first weight of run `run` of an output channel. */
static inline const filter_type *run_of(const struct filter *f, size_t channel, size_t run)
{
    const filter_type *first =
        f->values + channel / f->channels * f->phase_step + channel % f->channels * f->channel_step;

    return first + (ptrdiff_t)(run / f->columns) * f->row_step +
           (ptrdiff_t)(run % f->columns) * f->column_step;
}

/* The pack function of CONV_2D for a `struct filter`. Bytes are packed for conv_half_away(). */
void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *filter,
                                  const void *bias, void *packed);

#endif
