#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_WINOGRAD_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_WINOGRAD_TILES_H

#include "cpu_fallback/kernels/conv.h"

/*
 * How minimal filtering cuts an output to tiles of WINOGRAD_OUT by WINOGRAD_OUT, numbered through
 * the whole batch; the last ones of a line or column may be less. Included where that is defined.
 */

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

/* How many of a tile's outputs from `at` on exist, of `size`. */
static inline size_t outputs_from(uint32_t at, uint32_t size)
{
    return size - at < WINOGRAD_OUT ? size - at : WINOGRAD_OUT;
}

#endif
