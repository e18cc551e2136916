#ifndef HY_LIBHALYARD_GRAPH_FOLD_FOLDING_H
#define HY_LIBHALYARD_GRAPH_FOLD_FOLDING_H

#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/graph.h"

/* A node with constant inputs, and one of its outputs, of `elements` elements and `bytes` bytes. */
struct hy_folding {
    struct hy_graph *graph;
    const struct hy_graph_node *node;
    uint32_t output;
    uint64_t elements, bytes;
    const void *data;  /* the computed contents of the output */
    enum hy_code code; /* a failure that ends the whole pass */
    struct hy_error *err;
};

/* An input; for an omitted input a tensor without a numeric type. */
const struct hy_graph_tensor *hy_folding_input(const struct hy_folding *folding, uint32_t index);
const struct hy_graph_tensor *hy_folding_output(const struct hy_folding *folding);

/* Memory for the contents of the output; NULL after a failure. */
void *hy_folding_make(struct hy_folding *folding);

/* Numbers of an input, with a limit that suffices for shapes and indices. */
struct hy_folding_numbers {
    int64_t count;
    int64_t at[HY_CONSTANT_MAX_INTS];
};

/* False if the input is no constant of integers within the limit. */
bool hy_folding_read(const struct hy_folding *folding, uint32_t index,
                     struct hy_folding_numbers *numbers);

/* Stores `count` numbers as the contents; false if the output has another count or is not of
 * integers. */
bool hy_folding_store(struct hy_folding *folding, const int64_t *numbers, uint64_t count);

/* Each function sets the contents of the output; false if the node cannot be folded, or after a
 * failure. */

/* folding.c */
bool hy_fold_reuse_bytes(struct hy_folding *folding);

/* The same bytes with another element type. */
bool hy_fold_bitcast(struct hy_folding *folding);
bool hy_fold_widen_halves(struct hy_folding *folding);

/* fold_integers.c: arithmetic of shapes and indices */
bool hy_fold_abs(struct hy_folding *folding);
bool hy_fold_add(struct hy_folding *folding);
bool hy_fold_broadcast_args(struct hy_folding *folding);
bool hy_fold_cast(struct hy_folding *folding);
bool hy_fold_div(struct hy_folding *folding);
bool hy_fold_equal(struct hy_folding *folding);
bool hy_fold_floor_div(struct hy_folding *folding);
bool hy_fold_greater(struct hy_folding *folding);
bool hy_fold_greater_equal(struct hy_folding *folding);
bool hy_fold_less(struct hy_folding *folding);
bool hy_fold_less_equal(struct hy_folding *folding);
bool hy_fold_logical_and(struct hy_folding *folding);
bool hy_fold_logical_not(struct hy_folding *folding);
bool hy_fold_logical_or(struct hy_folding *folding);
bool hy_fold_maximum(struct hy_folding *folding);
bool hy_fold_minimum(struct hy_folding *folding);
bool hy_fold_mul(struct hy_folding *folding);
bool hy_fold_neg(struct hy_folding *folding);
bool hy_fold_not_equal(struct hy_folding *folding);
bool hy_fold_range(struct hy_folding *folding);
bool hy_fold_rank(struct hy_folding *folding);
bool hy_fold_reduce_all(struct hy_folding *folding);
bool hy_fold_reduce_any(struct hy_folding *folding);
bool hy_fold_reduce_max(struct hy_folding *folding);
bool hy_fold_reduce_min(struct hy_folding *folding);
bool hy_fold_reduce_prod(struct hy_folding *folding);
bool hy_fold_select(struct hy_folding *folding);
bool hy_fold_shape(struct hy_folding *folding);
bool hy_fold_square(struct hy_folding *folding);
bool hy_fold_sub(struct hy_folding *folding);
bool hy_fold_sum(struct hy_folding *folding);
bool hy_fold_where(struct hy_folding *folding);

/* fold_float.c: arithmetic of float32. The second function returns whether the first function
 * supports an operator. */
bool hy_fold_float(struct hy_folding *folding);
bool hy_fold_supports_float(enum hy_operator operator_);

/* fold_movement.c: elements of any type */
bool hy_fold_broadcast_to(struct hy_folding *folding);
bool hy_fold_concatenation(struct hy_folding *folding);
bool hy_fold_fill(struct hy_folding *folding);
bool hy_fold_gather(struct hy_folding *folding);
bool hy_fold_pack(struct hy_folding *folding);
bool hy_fold_reverse(struct hy_folding *folding);
bool hy_fold_slice(struct hy_folding *folding);
bool hy_fold_split(struct hy_folding *folding);
bool hy_fold_split_v(struct hy_folding *folding);
bool hy_fold_strided_slice(struct hy_folding *folding);
bool hy_fold_tile(struct hy_folding *folding);
bool hy_fold_transpose(struct hy_folding *folding);
bool hy_fold_unpack(struct hy_folding *folding);
bool hy_fold_zeros_like(struct hy_folding *folding);

#endif
