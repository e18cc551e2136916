#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_SELECT_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_SELECT_H

#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

/**
 * SELECT, NNAPI code 84, feature level 3: out = condition ? a : b, element by element.
 *   condition  bool
 *   a, b, out  elements of 1, 2, 4 or 8 bytes; out may be a or b if the side is not repeated
 * Quantised bytes of a side with another quantisation than the output are converted by
 * hy_table_requantise.
 */
struct hy_select_params {
    size_t count;
    bool condition_repeats, a_repeats, b_repeats; /* one element is used for all of the output */
    const uint8_t *a_table, *b_table;             /* elements of 1 byte only; NULL: no conversion */
};

typedef void hy_select_fn(const struct hy_select_params *params, const void *condition,
                          const void *a, const void *b, void *out);

#endif
