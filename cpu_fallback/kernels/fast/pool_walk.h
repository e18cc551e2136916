#ifndef HY_CPU_FALLBACK_KERNELS_FAST_POOL_WALK_H
#define HY_CPU_FALLBACK_KERNELS_FAST_POOL_WALK_H

#include "cpu_fallback/kernels/element.h"

#include <stdbool.h>

#include "cpu_fallback/kernels/fast/simd/unroll.h"
#include "cpu_fallback/kernels/pool.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/kernels/window.h"

/*
 * Pooling goes along the lines of the output. POOL_GROUP neighbours with whole windows are computed
 * together, because a single window would wait for its own sum from cell to cell.
 */
#define POOL_GROUP 4

/* A window. The window of the next output pixel is stride_w columns to the right. */
struct pool_window {
    const struct hy_pool_params *p;
    const HY_T *image; /* first pixel of the image */
    struct hy_window rows, columns;
};

/* Channel `c` of a cell. */
static inline const HY_T *pool_cell(const struct pool_window *w, size_t row, size_t column,
                                    size_t c)
{
    return w->image + (row * w->p->in_w + column) * w->p->channels + c;
}

/* Elements from a window to the next window. */
static inline size_t pool_step(const struct pool_window *w)
{
    return (size_t)w->p->stride_w * w->p->channels;
}

static inline size_t pool_cells(const struct pool_window *w)
{
    return (w->rows.end - w->rows.begin) * (w->columns.end - w->columns.begin);
}

/* Computes all channels of `pixels` neighbours: 1, or POOL_GROUP if all windows are whole. */
typedef void pool_pixels_fn(const struct pool_window *first, int pixels, HY_T *out);

/* Whether a group may begin at output column x. */
static inline bool is_group(const struct hy_pool_params *p, uint32_t x)
{
    const int64_t first = (int64_t)x * p->stride_w - p->pad_left;
    const int64_t last = first + (int64_t)(POOL_GROUP - 1) * p->stride_w;

    return (uint64_t)x + POOL_GROUP <= p->out_w && first >= 0 && last + p->filter_w <= p->in_w;
}

/* Calls `pool` for the output pixels of each line, in order. `pool` is inlined twice, for a group
 * and for one pixel. */
HY_ALWAYS_INLINE void pool_lines(const struct hy_pool_params *p, const HY_T *in, HY_T *out,
                                 pool_pixels_fn *pool)
{
    const size_t lines = (size_t)p->batch * p->out_h;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t line = 0; line < lines; line++) {
        const uint32_t y = (uint32_t)(line % p->out_h);
        struct pool_window window = {
            .p = p,
            .image = in + line / p->out_h * p->in_h * p->in_w * p->channels,
            .rows = hy_window_at(y, p->stride_h, p->pad_top, p->filter_h, p->in_h),
        };
        for (uint32_t x = 0, pixels; x < p->out_w; x += pixels) {
            pixels = is_group(p, x) ? POOL_GROUP : 1;
            window.columns = hy_window_at(x, p->stride_w, p->pad_left, p->filter_w, p->in_w);
            if (hy_stop_after(watch, pixels * pool_cells(&window) * p->channels / 4))
                return;
            if (pixels == POOL_GROUP)
                pool(&window, POOL_GROUP, out);
            else
                pool(&window, 1, out);
            out += (size_t)pixels * p->channels;
        }
    }
}

#endif
