#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_ROWS_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_ROWS_H

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/binary.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * Defines the kernel hy_<name>_<type>, which gives every pair of elements that meet to
 *     out_type one(const struct hy_binary_params *params, HY_T a, HY_T b)
 * A macro, so that `one` is inlined into the loop.
 */
#define HY_BINARY_KERNEL(name, out_type, one) \
    void HY_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                     void *out) \
    { \
        const struct hy_broadcast *shape = &params->shape; \
        const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1]; \
        size_t length = last->size, a_step = last->a_stride, b_step = last->b_stride; \
        size_t count = hy_broadcast_count(shape); \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t begin = 0, row = 0; begin < count; begin += length, row++) { \
            size_t a_begin, b_begin; \
            hy_broadcast_row(shape, row, &a_begin, &b_begin); \
            const HY_T *a_row = (const HY_T *)a + a_begin, *b_row = (const HY_T *)b + b_begin; \
            out_type *out_row = (out_type *)out + begin; \
\
            if (hy_stop_after(watch, length)) \
                return; \
            for (size_t i = 0; i < length; i++) \
                out_row[i] = one(params, a_row[i * a_step], b_row[i * b_step]); \
        } \
    }

#endif
