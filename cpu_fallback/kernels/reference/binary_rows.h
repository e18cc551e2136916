#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_ROWS_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_ROWS_H

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/binary_walk.h"

/*
 * Defines the kernel hy_<name>_<type>. The kernel calls, for every pair of elements of a and b,
 *     out_type one(const struct hy_binary_params *params, HY_T a, HY_T b)
 *
 * Inlining of `one` into the loop needs a macro instead of a function.
 */
#define HY_BINARY_KERNEL(name, out_type, one) \
    static void name##_row(const struct hy_binary_params *params, const void *a, size_t a_step, \
                           const void *b, size_t b_step, size_t count, void *out) \
    { \
        const HY_T *a_row = a, *b_row = b; \
        out_type *out_row = out; \
\
        for (size_t i = 0; i < count; i++) \
            out_row[i] = one(params, a_row[i * a_step], b_row[i * b_step]); \
    } \
    void HY_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                     void *out) \
    { \
        hy_binary_walk(params, a, b, out, sizeof(HY_T), sizeof(out_type), name##_row); \
    }

#endif
