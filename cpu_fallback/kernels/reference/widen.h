#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_WIDEN_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_WIDEN_H

#include "cpu_fallback/kernels/types.h"

/*
 * Conversions between any two types go through 64 bits, which hold every element exactly. Each type
 * needs a few functions instead of one function per pair of types. Quantised types convert as their
 * stored integers; bool converts as 0 or 1.
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

/* The wide type of an element type: HY_WIDE_REAL for reals, HY_WIDE_UNSIGNED for uint64 only. */
enum hy_wide hy_wide_of(enum hy_element element);

/* Converts elements to the wide type of hy_wide_of(). */
typedef void hy_widen_fn(size_t count, const void *in, union hy_wide_element *out);

/*
 * Converts elements from the wide type, to
 *   integers  from reals truncated towards zero and saturated, NaN becomes 0; from integers modulo
 *             2^n
 *   reals     to nearest; float16 and bfloat16 from the nearest float32
 *   bool      1 for any number but 0
 */
typedef void hy_narrow_fn(size_t count, const union hy_wide_element *in, void *out);

#endif
