#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_ARG_MIN_MAX_TOP_K_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_ARG_MIN_MAX_TOP_K_H

#include <stdbool.h>

#include "cpu_fallback/kernels/lines.h"
#include "cpu_fallback/kernels/types.h"

/**
 * ARGMAX (NNAPI code 39) and ARGMIN (40), feature level 3, and ARGMAX and ARGMIN of
 * org.halyard.operations.
 *   in   lines of any type, at least one element each
 *   out  int32: the index of the largest or smallest element of each line; among equals the first
 * or the last, by `op`. NaN only wins as the first element.
 */
enum hy_arg_min_max {
    HY_ARG_MAX,
    HY_ARG_MIN,
    HY_ARG_MAX_LAST,
    HY_ARG_MIN_LAST,
    HY_ARG_MIN_MAX_COUNT
};

typedef void hy_arg_min_max_fn(const struct hy_lines *lines, const void *in, int32_t *out);

/**
 * TOPK_V2 (NNAPI code 90, feature level 3) and TOP_K of org.halyard.operations.
 *   in       [rows, count]  any type but bool
 *   values   [rows, k]      the largest of each row, in descending order, or the smallest, in
 *                           ascending order; 1 <= k <= count
 *   indices  [rows, k]      the indices of the values; among equals the last comes first, or the
 *                           first
 * The order of a row with NaN is unspecified.
 */
struct hy_top_k_params {
    size_t rows, count, k;
    bool first_of_equals, smallest;
};

typedef void hy_top_k_fn(const struct hy_top_k_params *params, const void *in, void *values,
                         int32_t *indices);

#endif
