#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_WIDEN_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_WIDEN_H

#include "cpu_fallback/kernels/types.h"

/*
 * Conversions between any two types go through 64 bits, which hold every element exactly: a few
 * functions for each type instead of one for each pair. Quantised types are the integers that they
 * store; truth is 0 or 1.
 */
enum hy_wide {
    HY_WIDE_REAL,     /* double */
    HY_WIDE_SIGNED,   /* int64_t */
    HY_WIDE_UNSIGNED, /* uint64_t */
    HY_WIDE_COUNT
};

union hy_wide_element {
    double real;
    int64_t integer; /* modulo 2^64 */
};

/* What elements of a type become; HY_WIDE_REAL for real ones, HY_WIDE_UNSIGNED for uint64 alone. */
enum hy_wide hy_wide_of(enum hy_element element);

/* Elements as what hy_wide_of names. */
typedef void hy_widen_fn(size_t count, const void *in, union hy_wide_element *out);

/*
 * And back, to
 *   integers  from reals truncated towards zero and kept within the type, NaN is 0; from integers
 *             modulo 2^n
 *   reals     the nearest; float16 and bfloat16 that of the nearest float32
 *   bool      whether it is not 0
 */
typedef void hy_narrow_fn(size_t count, const union hy_wide_element *in, void *out);

#endif
