#ifndef HY_CPU_FALLBACK_PLACEMENT_H
#define HY_CPU_FALLBACK_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* A tensor that needs `size` bytes from step `first` to step `last`, both included. */
struct hy_cpu_span {
    size_t size;
    uint32_t first, last;
    size_t offset; /* answer: a multiple of HY_KERNEL_ALIGNMENT */
};

/*
 * Gives each span its place in one block of *total bytes, such that no two that live at the same
 * step overlap: the largest first, each into the tightest gap. Quadratic in the number of spans,
 * with a small constant: far below a millisecond for a network of hundreds of tensors.
 * HY_OUT_OF_MEMORY, also when the sum of sizes does not fit.
 */
HY_MUST_CHECK enum hy_code hy_cpu_place(struct hy_cpu_span *spans, uint32_t count, size_t *total,
                                        struct hy_error *err);

#endif
