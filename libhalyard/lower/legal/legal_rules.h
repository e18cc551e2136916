#ifndef HY_LIBHALYARD_LOWER_LEGAL_LEGAL_RULES_H
#define HY_LIBHALYARD_LOWER_LEGAL_LEGAL_RULES_H

#include "libhalyard/lower/legal/legalise.h"

/* Each rule replaces the current node; false if the node is legal, or has no other form, without an
 * emitted node. A file per family. */

/* legal_indices.c: before all other rules, also for nodes with unknown extents */
bool hy_legalise_indices(struct hy_legaliser *legaliser);

/* legal_types.c: before the other rules */
bool hy_legalise_types(struct hy_legaliser *legaliser);

/* legal_empty.c: for nodes whose first input has no elements */
bool hy_legalise_of_nothing(struct hy_legaliser *legaliser);

/* legal_elementwise.c */
bool hy_legalise_broadcast_two(struct hy_legaliser *legaliser);
bool hy_legalise_select(struct hy_legaliser *legaliser);
bool hy_legalise_last_axis(struct hy_legaliser *legaliser);

/* legal_whole.c: for operations of the extension alone */
bool hy_legalise_any_rank(struct hy_legaliser *legaliser);
bool hy_legalise_dynamic_update_slice(struct hy_legaliser *legaliser);
bool hy_legalise_scatter_nd(struct hy_legaliser *legaliser);

/* legal_concat.c */
bool hy_legalise_concatenation(struct hy_legaliser *legaliser);
bool hy_legalise_pack(struct hy_legaliser *legaliser);
bool hy_legalise_split(struct hy_legaliser *legaliser);
bool hy_legalise_split_v(struct hy_legaliser *legaliser);
bool hy_legalise_unpack(struct hy_legaliser *legaliser);

/* legal_movement.c */
bool hy_legalise_broadcast_to(struct hy_legaliser *legaliser);
bool hy_legalise_fill(struct hy_legaliser *legaliser);
bool hy_legalise_new_shape(struct hy_legaliser *legaliser);
bool hy_legalise_reverse(struct hy_legaliser *legaliser);
bool hy_legalise_slice(struct hy_legaliser *legaliser);
bool hy_legalise_strided_slice(struct hy_legaliser *legaliser);
bool hy_legalise_tile(struct hy_legaliser *legaliser);
bool hy_legalise_transpose(struct hy_legaliser *legaliser);
bool hy_legalise_zeros_like(struct hy_legaliser *legaliser);

/* legal_pad.c */
bool hy_legalise_pad(struct hy_legaliser *legaliser);

/* legal_space_batch.c */
bool hy_legalise_batch_to_space(struct hy_legaliser *legaliser);
bool hy_legalise_space_to_batch(struct hy_legaliser *legaliser);

/* legal_gather.c */
bool hy_legalise_embedding_lookup(struct hy_legaliser *legaliser);
bool hy_legalise_gather(struct hy_legaliser *legaliser);

/* legal_reduction.c */
bool hy_legalise_arg_min_max(struct hy_legaliser *legaliser);
bool hy_legalise_cumsum(struct hy_legaliser *legaliser);
bool hy_legalise_reduce(struct hy_legaliser *legaliser);
bool hy_legalise_segments(struct hy_legaliser *legaliser);
bool hy_legalise_topk(struct hy_legaliser *legaliser);

#endif
