#ifndef HY_CPU_FALLBACK_KERNELS_LINES_H
#define HY_CPU_FALLBACK_KERNELS_LINES_H

#include <stddef.h>

/* A tensor of [outer, count, inner], seen as outer * inner lines of `count` elements; elements of a
 * line are `inner` apart. Operations along one axis work on lines. */
struct hy_lines {
    size_t outer, count, inner;
};

static inline size_t hy_lines_number(const struct hy_lines *lines)
{
    return lines->outer * lines->inner;
}

/* The first element of line `index`. */
static inline size_t hy_line_begin(const struct hy_lines *lines, size_t index)
{
    return index / lines->inner * lines->count * lines->inner + index % lines->inner;
}

#endif
