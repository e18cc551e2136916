#ifndef HY_BENCH_KERNELS_CORE_PEAK_H
#define HY_BENCH_KERNELS_CORE_PEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of a core of this machine. Each figure is the best of many short rounds. */

enum hy_peak_set {
    HY_FLOATS_AVX2,
    HY_FLOATS_AVX512,
    HY_FLOATS_NEON,
    HY_BYTES_AVX2, /* products of 16 bits, added in pairs */
    HY_BYTES_VNNI,
    HY_PEAK_SETS
};

/* "float32, AVX2"; NULL for a set of another architecture. */
const char *hy_peak_set_name(enum hy_peak_set set);

/* Multiply-adds per nanosecond; 0: the machine does not have the set. */
double hy_peak_products(enum hy_peak_set set);

/* Bytes per nanosecond of repeated reads of `words`; `bytes` is a multiple of 512. */
double hy_peak_read(const uint64_t *words, size_t bytes);

#endif
