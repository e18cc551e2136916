#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_TILES_H

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"

/*
 * Tiles of minimal filtering. The output is cut into tiles of WINOGRAD_OUT by WINOGRAD_OUT,
 * numbered through the whole batch; the last tiles of a line or column may be smaller. HY_TILE_ROWS
 * tiles are a group. A strip is several successive groups, which share each reading of the weights.
 * Included after WINOGRAD_OUT is defined.
 *
 * A work unit is a group of tiles. If groups are few, a work unit is a panel of channels for all
 * tiles instead. Threads then have equal work, and each reads only its own part of the weights,
 * which are large in such layers; the cost is that every thread transforms the same inputs.
 */

/* CHUNK_BYTES limits the transformed inputs and sums of a strip, to fit the nearer caches.
 * CHUNK_TILES is the least number of tiles of a strip, so that weights are read once for at least
 * 16 tiles. */
#define CHUNK_BYTES 262144
#define CHUNK_TILES 16

#define FEW_GROUPS 4

static inline bool winograd_supports(const struct hy_conv_params *p)
{
    return p->filter_h == 3 && p->filter_w == 3 && p->stride_h == 1 && p->stride_w == 1 &&
           p->dilation_h == 1 && p->dilation_w == 1 && p->groups == 1;
}

/* The first output of a tile, and the image of the tile. */
struct tile_position {
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

static inline struct tile_position tile_position_of(const struct hy_conv_params *p, size_t tile)
{
    const size_t line = tile / tiles_across(p);

    return (struct tile_position){.image = line / tiles_down(p),
                                  .y = (uint32_t)(line % tiles_down(p)) * WINOGRAD_OUT,
                                  .x = (uint32_t)(tile % tiles_across(p)) * WINOGRAD_OUT};
}

static inline void go_on(const struct hy_conv_params *p, struct tile_position *at)
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

/* The number of groups of the longest strip, for `tile_bytes` bytes per tile. */
static inline size_t groups_of_chunk(const struct hy_conv_params *p, size_t tile_bytes)
{
    const size_t groups = count_groups(p), near = CHUNK_BYTES / (HY_TILE_ROWS * tile_bytes);
    const size_t least = (CHUNK_TILES + HY_TILE_ROWS - 1) / HY_TILE_ROWS;
    const size_t most = near > least ? near : least;

    return most < groups ? most : groups;
}

/* The number of tiles in `groups` groups from `group` on. */
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

/* The work of a range of units. */
struct partition {
    size_t group, group_end;
    size_t channel, channel_end;
};

static inline struct partition partition_of(const struct hy_conv_params *p, size_t first,
                                            size_t end)
{
    if (!units_are_panels(p))
        return (struct partition){first, end, 0, p->out_c};
    const size_t channel_end = end * HY_PANEL;
    return (struct partition){0, first < end ? count_groups(p) : 0, first * HY_PANEL,
                              channel_end < p->out_c ? channel_end : p->out_c};
}

/* The number of outputs of a tile from `at` on that are below `size`. */
static inline size_t outputs_from(uint32_t at, uint32_t size)
{
    return size - at < WINOGRAD_OUT ? size - at : WINOGRAD_OUT;
}

#endif
