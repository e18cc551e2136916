#ifndef HY_CPU_FALLBACK_KERNELS_FAST_POOL_WALK_H
#define HY_CPU_FALLBACK_KERNELS_FAST_POOL_WALK_H

#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/pool.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/kernels/window.h"

/* One output pixel of all channels; `image` is the first pixel of its image. */
typedef void pool_window_fn(const struct hy_pool_params *p, const HY_T *image,
                            struct hy_window rows, struct hy_window columns, HY_T *out);

/* Calls `one` for every output pixel; inlined with it. */
static inline __attribute__((always_inline)) void
pool_windows(const struct hy_pool_params *p, const HY_T *in, HY_T *out, pool_window_fn *one)
{
    size_t rows = (size_t)p->batch * p->out_h;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t row = 0; row < rows; row++) {
        const HY_T *image = in + row / p->out_h * p->in_h * p->in_w * p->channels;
        struct hy_window lines =
            hy_window_at((uint32_t)(row % p->out_h), p->stride_h, p->pad_top, p->filter_h, p->in_h);
        for (uint32_t x = 0; x < p->out_w; x++, out += p->channels) {
            const struct hy_window columns =
                hy_window_at(x, p->stride_w, p->pad_left, p->filter_w, p->in_w);
            if (hy_stop_after(watch, (lines.end - lines.begin) * (columns.end - columns.begin) *
                                         p->channels / 4))
                return;
            one(p, image, lines, columns, out);
        }
    }
}

#endif
