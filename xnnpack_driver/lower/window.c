#include "window.h"

/* A table of pointers that XNNPACK keeps per operator: filter elements * output pixels. */
#define MAX_TAPS (INT64_C(1) << 26)

bool xd_window_fits(struct xd_build *build, const struct hy_window *window)
{
    const struct hy_window_side *height = &window->height, *width = &window->width;
    const int64_t factors[] = {height->out, width->out, height->filter, width->filter};
    int64_t taps = 1;
    for (size_t i = 0; i < 4 && taps > 0; i++)
        taps = factors[i] <= MAX_TAPS / taps ? taps * factors[i] : 0;
    if (taps > 0)
        return true;
    return hy_refuse(&build->reader, "a filter of %lld x %lld over %lld x %lld is too large",
                     (long long)height->filter, (long long)width->filter, (long long)height->out,
                     (long long)width->out);
}

struct xd_plane xd_window_plane(const struct hy_window *window)
{
    const struct hy_window_side *height = &window->height, *width = &window->width;
    return (struct xd_plane){
        .in_height = (size_t)height->size,
        .in_width = (size_t)width->size,
        .out_height = (size_t)height->out,
        .out_width = (size_t)width->out,
        .top = (uint32_t)height->head,
        .right = (uint32_t)width->tail,
        .bottom = (uint32_t)height->tail,
        .left = (uint32_t)width->head,
        .filter_height = (uint32_t)height->filter,
        .filter_width = (uint32_t)width->filter,
        .stride_height = (uint32_t)height->stride,
        .stride_width = (uint32_t)width->stride,
        .dilation_height = (uint32_t)height->dilation,
        .dilation_width = (uint32_t)width->dilation,
        .groups = 1,
    };
}
