#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_SELECT_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_SELECT_H

#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

/*
 * SELECT, NNAPI code 84, feature level 3: out = condition ? a : b, element by element.
 *   condition  one byte per element: 0 is false, anything else is true
 *   a, b, out  elements of 1, 2, 4 or 8 bytes, aligned to their size
 * `out` may be `a` or `b` if this side does not repeat; other overlaps are not allowed.
 *
 * hy_kernel_table.select has a kernel for each enum hy_element_size. kernels/reference/select.c
 * implements all four sizes, kernels/fast/select_bytes.c 1 byte, and kernels/fast/select.c 2 and 4
 * bytes. ops/select.c calls the kernel for each row of the output.
 */
struct hy_select_params {
    size_t count; /* elements of `out`; 0 is allowed */
    /* true: the side has a single element, for all of the output; false: `count` elements */
    bool condition_repeats, a_repeats, b_repeats;
    /* Elements of 1 byte only: tables of HY_TABLE_SIZE entries from the stored byte of the side,
     * read as unsigned, to the byte of the output (hy_table_requantise). NULL: both have the same
     * quantisation, and the byte is copied. The caller owns the tables. */
    const uint8_t *a_table, *b_table;
};

typedef void hy_select_fn(const struct hy_select_params *params, const void *condition,
                          const void *a, const void *b, void *out);

#endif
