#ifndef HY_CPU_FALLBACK_OPS_LINES_H
#define HY_CPU_FALLBACK_OPS_LINES_H

#include "common/operations/shape.h"
#include "cpu_fallback/kernels/lines.h"

/* The lines of a tensor along `axis`. `axis` is below the rank. */
static inline struct hy_lines hy_cpu_lines_along(const struct hy_shape *shape, uint32_t axis)
{
    return (struct hy_lines){
        .outer = hy_shape_span(shape, 0, axis),
        .count = shape->dims[axis],
        .inner = hy_shape_span(shape, axis + 1, shape->rank),
    };
}

#endif
