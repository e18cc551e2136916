#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_QUANT_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_QUANT_H

#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/rescale.h"
#if defined(HY_AMX)
#include "cpu_fallback/kernels/fast/simd/tiles.h"
#endif

/*
 * CONV_2D and FULLY_CONNECTED in 8 bits. DEPTHWISE_CONV_2D of one input channel is the same product
 * with a transposed filter and another rounding.
 *
 * Let x and w be the operands of vi_dot: input and filter less the offsets of simd.h. Let zx and zw
 * be the remaining zero points. The sum is
 *
 *     bias + sum (x - zx) * (w - zw)
 *     = (bias - zx * sum w + depth * zx * zw) + sum x * w - zw * sum x
 *
 * Packing computes the part in brackets. The last term is added per pixel if zw is not 0.
 *
 * A packed panel starts with the words of rescale.h for each of its channels; the first word is the
 * part in brackets. The weights follow: for each step of HY_DOT_GROUP depths, line after line of
 * the filter, the weights of the panel's channels, a byte each. If all channels have one
 * multiplier, only the first word differs between channels. The words are then stored once before
 * the panels, as for a panel of equal channels, and each panel has the first word only.
 */

/* Whether the template's types are signed. */
#define HY_IN_IS_SIGNED     ((HY_T)-1 < 0)
#define HY_FILTER_IS_SIGNED ((HY_FILTER_T)-1 < 0)

/* Weights of a vector of channels in one step, and the number of words of these weights. */
#define STEP_WEIGHTS ((size_t)HY_LANES * HY_DOT_GROUP)
#define STEP_WORDS   (STEP_WEIGHTS / sizeof(int32_t))

/* Subtracted from unsigned weights to get signed bytes. */
#define WEIGHT_OFFSET (HY_FILTER_IS_SIGNED ? 0 : 128)

static inline size_t steps_of(size_t depth)
{
    return (depth + HY_DOT_GROUP - 1) / HY_DOT_GROUP;
}

#if defined(HY_AMX)
/* The number of equal tiles for a row of `depth`. */
static inline size_t tiles_of_depth(size_t depth)
{
    return (depth + TILE_ROW_BYTES - 1) / TILE_ROW_BYTES;
}

/* The bytes of a row in each tile: whole steps. */
static inline size_t tile_depth(size_t depth)
{
    const size_t tiles = tiles_of_depth(depth);

    return tiles == 0 ? HY_DOT_GROUP : steps_of((depth + tiles - 1) / tiles) * HY_DOT_GROUP;
}

/* The relative cost of a line of `depth`, and the number of packed steps. */
static inline size_t line_cost(size_t depth)
{
    return tiles_of_depth(depth);
}

static inline size_t line_steps(size_t depth)
{
    return tiles_of_depth(depth) * (tile_depth(depth) / HY_DOT_GROUP);
}
#else
static inline size_t line_cost(size_t depth)
{
    return steps_of(depth);
}

static inline size_t line_steps(size_t depth)
{
    return steps_of(depth);
}
#endif

/*
 * A tile walks through the filter line by line, and each line is rounded up to whole steps: bytes
 * behind the last input of a row meet weights of zero. If lines are so short that the rounding
 * would add much work, the whole filter counts as one line.
 */
static inline size_t conv_lines(const struct hy_conv_params *p)
{
    const size_t padded = p->filter_h * line_cost((size_t)p->filter_w * p->in_c);

    return padded * 2 <= line_cost(conv_depth(p)) * 3 ? p->filter_h : 1;
}

static inline size_t conv_line_depth(const struct hy_conv_params *p)
{
    return conv_lines(p) == 1 ? conv_depth(p) : (size_t)p->filter_w * p->in_c;
}

static inline size_t conv_line_steps(const struct hy_conv_params *p)
{
    return line_steps(conv_line_depth(p));
}

/* Steps of a tile along the depth. */
static inline size_t conv_steps(const struct hy_conv_params *p)
{
    return conv_lines(p) * conv_line_steps(p);
}

/* Words before the panels: the words of a panel of two vectors, then the words of a panel of one
 * vector. A filter without panels of a kind has no words of that kind. */
static inline size_t conv_shared_words_of(const struct hy_conv_params *p, int vectors)
{
    const bool are_there =
        vectors == 2 ? p->out_c > HY_LANES : (p->out_c - (size_t)1) % HY_PANEL < HY_LANES;

    return p->has_one_multiplier && are_there ? (size_t)HEADER_WORDS * vectors * HY_LANES : 0;
}

static inline size_t conv_shared_words(const struct hy_conv_params *p)
{
    return conv_shared_words_of(p, 2) + conv_shared_words_of(p, 1);
}

/* Words of each channel in a panel, before its weights. */
static inline size_t conv_header_words(const struct hy_conv_params *p)
{
    return p->has_one_multiplier ? 1 : HEADER_WORDS;
}

/* Words of a panel for each of its vectors. */
static inline size_t conv_vector_words(const struct hy_conv_params *p)
{
    return conv_header_words(p) * HY_LANES + conv_steps(p) * STEP_WORDS;
}

#endif
