#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* Number of output channels whose sums are computed together. */
enum { BLOCK = 64 };

struct block {
    size_t first, count; /* output channels */
    float sums[BLOCK];
};

/* Adds the products of a pixel and one tap of the filter. */
typedef void add_fn(const struct hy_conv_3d_params *params, const HY_T *pixel, const HY_T *tap,
                    struct block *block);

/* The input position of a tap for output position `out`. Returns false outside of the input. */
typedef bool find_input_fn(const struct hy_conv_3d_axis *axis, uint32_t out, uint32_t tap,
                           size_t *in);

static inline void add_forward(const struct hy_conv_3d_params *params, const HY_T *pixel,
                               const HY_T *tap, struct block *block)
{
    const size_t depth = params->in_c / params->groups;
    const size_t group = block->first / (params->out_c / params->groups);

    for (size_t c = 0; c < depth; c++) {
        const float x = HY_LOAD(pixel[group * depth + c]);
        const HY_T *weights = tap + c * params->out_c + block->first;
        for (size_t o = 0; o < block->count; o++)
            block->sums[o] += x * HY_LOAD(weights[o]);
    }
}

static inline void add_transposed(const struct hy_conv_3d_params *params, const HY_T *pixel,
                                  const HY_T *tap, struct block *block)
{
    for (size_t o = 0; o < block->count; o++) {
        const HY_T *weights = tap + (block->first + o) * params->in_c;
        float sum = 0;
        for (size_t c = 0; c < params->in_c; c++)
            sum += HY_LOAD(pixel[c]) * HY_LOAD(weights[c]);
        block->sums[o] += sum;
    }
}

static inline bool find_input_forward(const struct hy_conv_3d_axis *axis, uint32_t out,
                                      uint32_t tap, size_t *in)
{
    const int64_t at =
        (int64_t)out * axis->stride + (int64_t)tap * axis->dilation - (int64_t)axis->pad;

    *in = (size_t)at;
    return at >= 0 && at < axis->in;
}

static inline bool find_input_transposed(const struct hy_conv_3d_axis *axis, uint32_t out,
                                         uint32_t tap, size_t *in)
{
    const int64_t at = (int64_t)out + axis->pad - (int64_t)tap * axis->dilation;

    *in = (size_t)(at / axis->stride);
    return at >= 0 && at % axis->stride == 0 && at / axis->stride < axis->in;
}

/* Computes the sums of a block at output position `at`. */
static inline void convolve(const struct hy_conv_3d_params *params, const HY_T *volume,
                            const HY_T *filter, const uint32_t at[3], find_input_fn *find_input,
                            add_fn *add, struct block *block)
{
    const struct hy_conv_3d_axis *axes = params->axes;
    const size_t tap_size = (size_t)params->in_c / params->groups * params->out_c;
    size_t z, y, x;

    for (uint32_t i = 0; i < axes[0].filter; i++) {
        if (!find_input(&axes[0], at[0], i, &z))
            continue;
        for (uint32_t j = 0; j < axes[1].filter; j++) {
            if (!find_input(&axes[1], at[1], j, &y))
                continue;
            for (uint32_t k = 0; k < axes[2].filter; k++) {
                if (!find_input(&axes[2], at[2], k, &x))
                    continue;
                add(params, volume + ((z * axes[1].in + y) * axes[2].in + x) * params->in_c,
                    filter + (((size_t)i * axes[1].filter + j) * axes[2].filter + k) * tap_size,
                    block);
            }
        }
    }
}

static inline void lines(const struct hy_conv_3d_params *params, const HY_T *in, const HY_T *filter,
                         const HY_T *bias, HY_T *out, size_t first, size_t end,
                         find_input_fn *find_input, add_fn *add)
{
    const struct hy_conv_3d_axis *axes = params->axes;
    const size_t taps = (size_t)axes[0].filter * axes[1].filter * axes[2].filter;
    const size_t per_group = params->out_c / params->groups;
    const size_t volume_size = (size_t)axes[0].in * axes[1].in * axes[2].in * params->in_c;
    struct hy_stop_watch *watch = hy_stop_here();

    out += first * axes[2].out * params->out_c;
    for (size_t line = first; line < end; line++) {
        const size_t slice = line / axes[1].out;
        const HY_T *volume = in + slice / axes[0].out * volume_size;
        uint32_t at[3] = {(uint32_t)(slice % axes[0].out), (uint32_t)(line % axes[1].out), 0};

        for (; at[2] < axes[2].out; at[2]++, out += params->out_c) {
            size_t step;
            for (size_t o = 0; o < params->out_c; o += step) {
                const size_t left = per_group - o % per_group; /* a block lies in one group */
                struct block block = {.first = o, .count = left < BLOCK ? left : BLOCK};
                step = block.count;
                if (hy_stop_after(watch, taps * (params->in_c / params->groups) * step))
                    return;
                convolve(params, volume, filter, at, find_input, add, &block);
                for (size_t i = 0; i < step; i++)
                    out[o + i] = HY_STORE(
                        hy_activate(&params->activation, block.sums[i] + HY_LOAD(bias[o + i])));
            }
        }
    }
}

void HY_FN(conv_3d)(const struct hy_conv_3d_params *params, const void *in, const void *filter,
                    const void *bias, void *out, size_t first, size_t end)
{
    lines(params, in, filter, bias, out, first, end, find_input_forward, add_forward);
}

void HY_FN(transpose_conv_3d)(const struct hy_conv_3d_params *params, const void *in,
                              const void *filter, const void *bias, void *out, size_t first,
                              size_t end)
{
    lines(params, in, filter, bias, out, first, end, find_input_transposed, add_transposed);
}
