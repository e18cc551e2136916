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
 * CONV_2D and FULLY_CONNECTED in 8 bits; also DEPTHWISE_CONV_2D of one input channel, which is the
 * same product with its filter stored the other way round and another rounding.
 *
 * With x and w the operands of vi_dot (input and filter less their offsets, simd.h), zx and zw what
 * is left of the zero points, the sum wanted is
 *
 *     bias + sum (x - zx) * (w - zw)
 *     = (bias - zx * sum w + depth * zx * zw) + sum x * w - zw * sum x
 *
 * The part in brackets is packed; the last term is added per pixel, where zw is not 0.
 *
 * A packed panel: for each of its channels the words of rescale.h, of which the first is the part
 * in brackets; then for each step of HY_DOT_GROUP depths, line after line of the filter, the
 * weights of its channels, a byte each. With one multiplier for all channels the words are the same
 * but for the first: they stand before the panels, as in a panel whose channels are all alike, and
 * the panels have the first word only.
 */

/* Whether the template's types are signed. */
#define HY_IN_IS_SIGNED     ((HY_T)-1 < 0)
#define HY_FILTER_IS_SIGNED ((HY_FILTER_T)-1 < 0)

/* Weights of a vector of channels in one step, and words that they take. */
#define STEP_WEIGHTS ((size_t)HY_LANES * HY_DOT_GROUP)
#define STEP_WORDS   (STEP_WEIGHTS / sizeof(int32_t))

/* Subtracted from weights, which makes signed bytes of unsigned ones. */
#define WEIGHT_OFFSET (HY_FILTER_IS_SIGNED ? 0 : 128)

static inline size_t steps_of(size_t depth)
{
    return (depth + HY_DOT_GROUP - 1) / HY_DOT_GROUP;
}

#if defined(HY_AMX)
/* The tiles, all of one shape, that a row of `depth` goes through. */
static inline size_t tiles_of_depth(size_t depth)
{
    return (depth + TILE_ROW_BYTES - 1) / TILE_ROW_BYTES;
}

/* The bytes of a row in each: whole steps. */
static inline size_t tile_depth(size_t depth)
{
    const size_t tiles = tiles_of_depth(depth);

    return tiles == 0 ? HY_DOT_GROUP : steps_of((depth + tiles - 1) / tiles) * HY_DOT_GROUP;
}

/* What a line of `depth` costs, and the steps that it is packed in. */
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
 * A tile goes through the filter line after line, each in whole steps: what a row has in memory
 * behind its last input meets weights of zero. Where lines are so short that this would be much
 * more work, all of the filter is one line.
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
