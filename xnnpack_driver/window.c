#include "window.h"

/* A table of pointers that XNNPACK keeps per operator: filter elements * output pixels. */
#define MAX_TAPS (INT64_C(1) << 26)

static bool read_sizes(struct xd_build *build, const struct hy_operation *operation,
                       uint32_t position, int64_t *const *sizes, uint32_t count, int32_t least)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = 0;
        if (!hy_read_i32(&build->reader, operation, position + i, &value))
            return false;
        if (value < least)
            return hy_refuse(&build->reader, "input %u is %d, needs at least %d", position + i,
                             value, least);
        *sizes[i] = value;
    }
    return true;
}

bool xd_window_read_pair(struct xd_build *build, const struct hy_operation *operation,
                         uint32_t position, int64_t *width, int64_t *height)
{
    int64_t *const sizes[] = {width, height};
    return read_sizes(build, operation, position, sizes, 2, 1);
}

static bool read_scheme(struct xd_build *build, const struct hy_operation *operation,
                        uint32_t position, struct xd_window *window)
{
    if (!hy_read_i32(&build->reader, operation, position, &window->scheme))
        return false;
    if (window->scheme == ANEURALNETWORKS_PADDING_SAME ||
        window->scheme == ANEURALNETWORKS_PADDING_VALID)
        return true;
    return hy_refuse(&build->reader, "the padding scheme is %d, needs 1 or 2", window->scheme);
}

bool xd_window_read(struct xd_build *build, const struct hy_operation *operation, bool implicit,
                    uint32_t *position, struct xd_window *window)
{
    int64_t *const pads[] = {&window->width.head, &window->width.tail, &window->height.head,
                             &window->height.tail};
    window->scheme = 0;
    if (implicit ? !read_scheme(build, operation, *position, window)
                 : !read_sizes(build, operation, *position, pads, 4, 0))
        return false;
    *position += implicit ? 1 : 4;
    if (!xd_window_read_pair(build, operation, *position, &window->width.stride,
                             &window->height.stride))
        return false;
    *position += 2;
    window->height.dilation = window->width.dilation = 1;
    return true;
}

static bool solve(struct xd_build *build, struct xd_extent *extent, int32_t scheme)
{
    const int64_t reach = (extent->filter - 1) * extent->dilation + 1;
    if (scheme == ANEURALNETWORKS_PADDING_SAME) {
        const int64_t out = (extent->size + extent->stride - 1) / extent->stride;
        const int64_t total = (out - 1) * extent->stride + reach - extent->size;
        extent->head = total > 0 ? total / 2 : 0;
        extent->tail = total > 0 ? total - total / 2 : 0;
    } else if (scheme == ANEURALNETWORKS_PADDING_VALID) {
        extent->head = extent->tail = 0;
    }
    const int64_t room = extent->size + extent->head + extent->tail - reach;
    if (extent->head >= reach || extent->tail >= reach || room < 0)
        return hy_refuse(&build->reader,
                         "pads %lld and %lld, a filter that spans %lld and size %lld do not fit",
                         (long long)extent->head, (long long)extent->tail, (long long)reach,
                         (long long)extent->size);
    extent->out = room / extent->stride + 1;
    return true;
}

bool xd_window_fits(struct xd_build *build, const struct xd_window *window)
{
    const struct xd_extent *height = &window->height, *width = &window->width;
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

bool xd_window_solve(struct xd_build *build, struct xd_window *window)
{
    return solve(build, &window->height, window->scheme) &&
           solve(build, &window->width, window->scheme) && xd_window_fits(build, window);
}

struct xd_plane xd_window_plane(const struct xd_window *window)
{
    const struct xd_extent *height = &window->height, *width = &window->width;
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
