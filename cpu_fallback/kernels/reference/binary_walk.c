#include "cpu_fallback/kernels/reference/binary_walk.h"

#include "cpu_fallback/kernels/stop.h"

void hy_binary_walk(const struct hy_binary_params *params, const void *a, const void *b, void *out,
                    size_t in_bytes, size_t out_bytes, hy_binary_row_fn *row)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1];
    const size_t length = last->size, count = hy_broadcast_count(shape);
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t begin = 0, i = 0; begin < count; begin += length, i++) {
        size_t a_begin, b_begin;

        hy_broadcast_row(shape, i, &a_begin, &b_begin);
        if (hy_stop_after(watch, length))
            return;
        row(params, (const uint8_t *)a + a_begin * in_bytes, last->a_stride,
            (const uint8_t *)b + b_begin * in_bytes, last->b_stride, length,
            (uint8_t *)out + begin * out_bytes);
    }
}
