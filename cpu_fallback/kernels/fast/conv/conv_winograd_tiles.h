#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TILES_H

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"

/*
 * How minimal filtering cuts an output to tiles of WINOGRAD_OUT by WINOGRAD_OUT, numbered through
 * the whole batch; the last ones of a line or column may be less. HY_TILE_ROWS of them are a group;
 * several groups that follow each other, a strip, share the reading of the weights. Included where
 * WINOGRAD_OUT is defined.
 *
 * A work unit is a group of tiles. Where these are few, it is a panel of channels in all of them:
 * threads come out even, and each reads its own part of the weights, which are large then, for
 * transforming the same inputs.
 */

/* What transformed inputs and sums of a strip may take of the nearer caches; and the tiles it has
 * at least, so that weights from farther away are read once for so many. */
#define STRIP_BYTES 262144
#define STRIP_TILES 16

#define FEW_GROUPS 4

static inline bool winograd_takes(const struct hy_conv_params *p)
{
    return p->filter_h == 3 && p->filter_w == 3 && p->stride_h == 1 && p->stride_w == 1 &&
           p->dilation_h == 1 && p->dilation_w == 1 && p->groups == 1;
}

/* A tile: its first output, and the image that is under it. */
struct place {
    size_t image;
    uint32_t y, x;
};

static inline size_t tiles_across(const struct hy_conv_params *p)
{
    return ((size_t)p->out_w + WINOGRAD_OUT - 1) / WINOGRAD_OUT;
}

static inline size_t tiles_down(const struct hy_conv_params *p)
{
    return ((size_t)p->out_h + WINOGRAD_OUT - 1) / WINOGRAD_OUT;
}

static inline size_t count_tiles(const struct hy_conv_params *p)
{
    return p->batch * tiles_down(p) * tiles_across(p);
}

static inline struct place place_of(const struct hy_conv_params *p, size_t tile)
{
    const size_t line = tile / tiles_across(p);

    return (struct place){.image = line / tiles_down(p),
                          .y = (uint32_t)(line % tiles_down(p)) * WINOGRAD_OUT,
                          .x = (uint32_t)(tile % tiles_across(p)) * WINOGRAD_OUT};
}

static inline void go_on(const struct hy_conv_params *p, struct place *at)
{
    at->x += WINOGRAD_OUT;
    if (at->x < p->out_w)
        return;
    at->x = 0;
    at->y += WINOGRAD_OUT;
    if (at->y < p->out_h)
        return;
    at->y = 0;
    at->image++;
}

static inline size_t count_groups(const struct hy_conv_params *p)
{
    return (count_tiles(p) + HY_TILE_ROWS - 1) / HY_TILE_ROWS;
}

/* Groups of the longest strip, where a tile takes so many bytes. */
static inline size_t groups_of_strip(const struct hy_conv_params *p, size_t tile_bytes)
{
    const size_t groups = count_groups(p), near = STRIP_BYTES / (HY_TILE_ROWS * tile_bytes);
    const size_t least = (STRIP_TILES + HY_TILE_ROWS - 1) / HY_TILE_ROWS;
    const size_t most = near > least ? near : least;

    return most < groups ? most : groups;
}

/* The tiles that there are in so many groups, from `group` on. */
static inline size_t tiles_in(const struct hy_conv_params *p, size_t group, size_t groups)
{
    const size_t left = count_tiles(p) - group * HY_TILE_ROWS;

    return groups * HY_TILE_ROWS < left ? groups * HY_TILE_ROWS : left;
}

static inline bool units_are_panels(const struct hy_conv_params *p)
{
    return count_groups(p) < FEW_GROUPS && p->out_c > HY_PANEL;
}

static inline size_t winograd_unit_count(const struct hy_conv_params *p)
{
    return units_are_panels(p) ? ((size_t)p->out_c + HY_PANEL - 1) / HY_PANEL : count_groups(p);
}

/* What a run of units covers. */
struct share {
    size_t group, group_end;
    size_t channel, channel_end;
};

static inline struct share share_of(const struct hy_conv_params *p, size_t first, size_t end)
{
    if (!units_are_panels(p))
        return (struct share){first, end, 0, p->out_c};
    const size_t channel_end = end * HY_PANEL;
    return (struct share){0, first < end ? count_groups(p) : 0, first * HY_PANEL,
                          channel_end < p->out_c ? channel_end : p->out_c};
}

/* How many of a tile's outputs from `at` on exist, of `size`. */
static inline size_t outputs_from(uint32_t at, uint32_t size)
{
    return size - at < WINOGRAD_OUT ? size - at : WINOGRAD_OUT;
}

#endif
