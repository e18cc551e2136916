#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_TILES_H

#include <assert.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * A convolution as a matrix product. Rows are output pixels (numbered through the whole batch), the
 * depth is a pixel's patch of filter_h * filter_w * in_c inputs, columns are output channels.
 *
 * A tile is HY_TILE_ROWS pixels by one panel of HY_PANEL_VECTORS vectors of channels; its sums fill
 * the register file. Packed weights are stored panel after panel, each in the order of reading. The
 * last panel is one vector wide if one vector is enough, with zeros for missing channels.
 */
#if HY_LANES == 16
#define HY_TILE_ROWS 8
#else
#define HY_TILE_ROWS 6
#endif
#define HY_PANEL_VECTORS 2
#define HY_PANEL         (HY_PANEL_VECTORS * HY_LANES)

static_assert(HY_SET_PANEL % HY_PANEL == 0, "callers choose blocks by it");
#if !defined(HY_AMX)
static_assert(HY_TILE_ROWS == HY_SET_TILE, "callers choose lines by it");
#endif

static inline size_t conv_depth(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w * p->in_c;
}

/* Elements from an output pixel to the next pixel of its line. */
static inline size_t conv_out_step(const struct hy_conv_params *p)
{
    return p->out_step > 0 ? p->out_step : p->out_c;
}

static inline size_t conv_pixels(const struct hy_conv_params *p)
{
    return (size_t)p->batch * p->out_h * p->out_w;
}

/* Output channels, rounded up to whole vectors. */
static inline size_t conv_columns(const struct hy_conv_params *p)
{
    return ((size_t)p->out_c + HY_LANES - 1) / HY_LANES * HY_LANES;
}

/* Columns of the panel that starts at channel `channel`. */
static inline size_t panel_width(const struct hy_conv_params *p, size_t channel)
{
    return p->out_c - channel > HY_LANES ? HY_PANEL : HY_LANES;
}

/* The computed part of a panel, in the steps that kernels exist for. */
enum panel_part { HALF_A_VECTOR, ONE_VECTOR, ONE_AND_A_HALF, TWO_VECTORS };

static inline enum panel_part panel_part(size_t columns)
{
#if defined(HY_HALF_VECTORS)
    if (columns <= HY_LANES / 2)
        return HALF_A_VECTOR;
    if (columns > HY_LANES && columns <= HY_LANES / 2 * 3)
        return ONE_AND_A_HALF;
#endif
    return columns > HY_LANES ? TWO_VECTORS : ONE_VECTOR;
}

static inline size_t conv_tiles(const struct hy_conv_params *p)
{
    return (conv_pixels(p) + HY_TILE_ROWS - 1) / HY_TILE_ROWS;
}

/* The number of blocks of channels. */
static inline size_t conv_blocks(const struct hy_conv_params *p)
{
    return p->block == 0 ? 1 : ((size_t)p->out_c + p->block - 1) / p->block;
}

/* A work unit is one tile with one block of channels. */
static inline size_t conv_unit_count(const struct hy_conv_params *p)
{
    return conv_tiles(p) * conv_blocks(p);
}

/* The work of one unit. */
struct conv_unit {
    size_t tile, pixel, rows; /* `rows` pixels from `pixel` on */
    size_t channel, channel_end;
};

/* Units go block by block, and in each block tile by tile. */
static inline struct conv_unit conv_unit_at(const struct hy_conv_params *p, size_t unit)
{
    size_t tiles = conv_tiles(p), pixels = conv_pixels(p);
    struct conv_unit u = {.tile = unit, .channel_end = p->out_c};

    if (p->block > 0) {
        u.tile = unit % tiles;
        u.channel = unit / tiles * p->block;
        if (p->out_c - u.channel > p->block)
            u.channel_end = u.channel + p->block;
    }
    u.pixel = u.tile * HY_TILE_ROWS;
    u.rows = pixels - u.pixel < HY_TILE_ROWS ? pixels - u.pixel : HY_TILE_ROWS;
    return u;
}

/* The unit `unit`, the successor of `u`: the same as conv_unit_at(), usually without a division. */
static inline struct conv_unit conv_unit_after(const struct hy_conv_params *p, struct conv_unit u,
                                               size_t unit)
{
    const size_t left = conv_pixels(p) - u.pixel;

    if (left <= HY_TILE_ROWS)
        return conv_unit_at(p, unit);
    u.tile++;
    u.pixel += HY_TILE_ROWS;
    u.rows = left < 2 * HY_TILE_ROWS ? left - HY_TILE_ROWS : HY_TILE_ROWS;
    return u;
}

/* The number of rows of the next call of a tile kernel, with `left` rows left: kernels exist for
 * these counts only. */
static inline size_t tile_step(size_t left)
{
    return left >= HY_TILE_ROWS ? HY_TILE_ROWS : left >= HY_TILE_ROWS / 2 ? HY_TILE_ROWS / 2 : 1;
}

/* Whether patches are contiguous runs of the input, one after the other. */
static inline bool patches_are_contiguous(const struct hy_conv_params *p)
{
    return p->filter_h == 1 && p->filter_w == 1 && p->stride_h == 1 && p->stride_w == 1 &&
           p->pad_top == 0 && p->pad_left == 0 && p->in_h == p->out_h && p->in_w == p->out_w;
}

/* Whether the input is a single patch, as in FULLY_CONNECTED of one row. */
static inline bool is_single_row(const struct hy_conv_params *p)
{
    return p->out_w == 1 && p->in_w == 1 && p->out_h == 1 && p->in_h == 1 && p->batch == 1 &&
           p->filter_w == 1 && p->filter_h == 1 && p->pad_top == 0 && p->pad_left == 0;
}

/* The channels of units [first, end) of a single row; a unit is then a block. */
static inline struct hy_window row_channels(const struct hy_conv_params *p, size_t first,
                                            size_t end)
{
    const size_t block = p->block == 0 ? p->out_c : p->block, last = end * block;

    return (struct hy_window){first * block, last < p->out_c ? last : p->out_c};
}

#endif
