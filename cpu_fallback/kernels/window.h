#ifndef HY_CPU_FALLBACK_KERNELS_WINDOW_H
#define HY_CPU_FALLBACK_KERNELS_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* A half-open range along one axis of an image; empty as begin == end. */
struct hy_window {
    size_t begin, end;
};

/* The cells under a filter of `filter` cells for output position `out`, cut to the image. */
static inline struct hy_window hy_window_at(uint32_t out, uint32_t stride, uint32_t pad,
                                            uint32_t filter, uint32_t size)
{
    int64_t begin = (int64_t)out * stride - pad, end = begin + filter;

    begin = begin < 0 ? 0 : begin > size ? size : begin;
    end = end < begin ? begin : end > size ? size : end;
    return (struct hy_window){(size_t)begin, (size_t)end};
}

/* value / dilation, rounded up. Most filters are not dilated, and the division is slow. */
static inline int64_t hy_dilated(int64_t value, uint32_t dilation)
{
    return dilation == 1 ? value : (value + dilation - 1) / dilation;
}

/*
 * The taps of a dilated filter that fall inside the image for output position `out`, as a range of
 * tap numbers.
 */
static inline struct hy_window hy_taps_at(uint32_t out, uint32_t stride, uint32_t pad,
                                          uint32_t filter, uint32_t dilation, uint32_t size)
{
    int64_t origin = (int64_t)out * stride - pad;
    int64_t begin = origin < 0 ? hy_dilated(-origin, dilation) : 0;
    int64_t end = size > origin ? hy_dilated(size - origin, dilation) : 0;

    end = end > filter ? filter : end;
    begin = begin > end ? end : begin;
    return (struct hy_window){(size_t)begin, (size_t)end};
}

#endif
