#ifndef HY_CPU_FALLBACK_KERNELS_WHERE_UNIQUE_H
#define HY_CPU_FALLBACK_KERNELS_WHERE_UNIQUE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

/* WHERE and UNIQUE of org.halyard.operations, for elements of 1, 2, 4 or 8 bytes. Floats 0 and -0
 * are one number; other elements are equal if their bits are. */
struct hy_searched {
    size_t count;
    uint32_t size; /* of an element */
    bool is_float;
    uint64_t zero; /* the bits of 0 */
};

/* Writes the indices of the nonzero elements; `dims` is the shape of the tensor. Returns the number
 * of rows of `rank` indices. */
size_t hy_where(const struct hy_searched *searched, const void *in, uint32_t rank,
                const uint32_t *dims, int32_t *out);

/* The number of slots of the table for hy_unique; 0 if `count` exceeds the range of slot
 * numbers. */
size_t hy_unique_slots(size_t count);

/* Writes the different elements to `values`, in the order of first occurrence, and for each element
 * the index of its value to `indices`. Returns the number of values. `table` is scratch of
 * hy_unique_slots() slots. */
size_t hy_unique(const struct hy_searched *searched, const void *in, uint32_t *table, void *values,
                 int32_t *indices);

#endif
