#ifndef HY_LIBHALYARD_GRAPH_SHAPES_SHAPE_RULES_H
#define HY_LIBHALYARD_GRAPH_SHAPES_SHAPE_RULES_H

#include "libhalyard/graph/shapes/shaping.h"

/* Inference of output shapes from inputs, with a rule for each family of operators. */

/* Elementwise. */
void hy_shape_like_first(struct hy_shaping *shaping);
void hy_shape_broadcast_two(struct hy_shaping *shaping);
void hy_shape_broadcast_three(struct hy_shaping *shaping);
void hy_shape_like_second(struct hy_shaping *shaping);
void hy_shape_bitcast(struct hy_shaping *shaping);

/* Bodies. */
void hy_shape_if(struct hy_shaping *shaping);
void hy_shape_while(struct hy_shaping *shaping);

/* Images. */
void hy_shape_conv_2d(struct hy_shaping *shaping);
void hy_shape_depthwise_conv_2d(struct hy_shaping *shaping);
void hy_shape_transpose_conv_2d(struct hy_shaping *shaping);
void hy_shape_conv_3d(struct hy_shaping *shaping);
void hy_shape_transpose_conv_3d(struct hy_shaping *shaping);
void hy_shape_detection_postprocess(struct hy_shaping *shaping);
void hy_shape_pool_2d(struct hy_shaping *shaping);
void hy_shape_unpool_2d(struct hy_shaping *shaping);
void hy_shape_landmarks_matrix(struct hy_shaping *shaping);
void hy_shape_transform_tensor(struct hy_shaping *shaping);
void hy_shape_resize(struct hy_shaping *shaping);
void hy_shape_depth_to_space(struct hy_shaping *shaping);
void hy_shape_space_to_depth(struct hy_shaping *shaping);
void hy_shape_batch_to_space(struct hy_shaping *shaping);
void hy_shape_space_to_batch(struct hy_shaping *shaping);

/* Matrices. */
void hy_shape_fully_connected(struct hy_shaping *shaping);
void hy_shape_batch_matmul(struct hy_shaping *shaping);

/* Movement. */
void hy_shape_concatenation(struct hy_shaping *shaping);
void hy_shape_expand_dims(struct hy_shaping *shaping);
void hy_shape_shape_given(struct hy_shaping *shaping);
void hy_shape_gather(struct hy_shaping *shaping);
void hy_shape_pack(struct hy_shaping *shaping);
void hy_shape_unpack(struct hy_shaping *shaping);
void hy_shape_pad(struct hy_shaping *shaping);
void hy_shape_reshape(struct hy_shaping *shaping);
void hy_shape_slice(struct hy_shaping *shaping);
void hy_shape_strided_slice(struct hy_shaping *shaping);
void hy_shape_shape_vector(struct hy_shaping *shaping);
void hy_shape_range(struct hy_shaping *shaping);
void hy_shape_broadcast_to(struct hy_shaping *shaping);
void hy_shape_split(struct hy_shaping *shaping);
void hy_shape_squeeze(struct hy_shaping *shaping);
void hy_shape_dilate(struct hy_shaping *shaping);
void hy_shape_tile(struct hy_shaping *shaping);
void hy_shape_transpose(struct hy_shaping *shaping);

/* Recurrent. */
void hy_shape_lstm(struct hy_shaping *shaping);
void hy_shape_bidirectional_lstm(struct hy_shaping *shaping);
void hy_shape_rnn(struct hy_shaping *shaping);
void hy_shape_bidirectional_rnn(struct hy_shaping *shaping);
void hy_shape_svdf(struct hy_shaping *shaping);

/* Indices. */
void hy_shape_broadcast_args(struct hy_shaping *shaping);
void hy_shape_embedding_lookup(struct hy_shaping *shaping);
void hy_shape_gather_nd(struct hy_shaping *shaping);
void hy_shape_matrix_diag(struct hy_shaping *shaping);
void hy_shape_one_hot(struct hy_shaping *shaping);
void hy_shape_scalar(struct hy_shaping *shaping);
void hy_shape_scatter_nd(struct hy_shaping *shaping);
void hy_shape_segment_sum(struct hy_shaping *shaping);
void hy_shape_sparse_to_dense(struct hy_shaping *shaping);
void hy_shape_split_v(struct hy_shaping *shaping);
void hy_shape_where(struct hy_shaping *shaping);
void hy_shape_unsorted_segment(struct hy_shaping *shaping);
void hy_shape_suppression(struct hy_shaping *shaping);
void hy_shape_unique(struct hy_shaping *shaping);
void hy_shape_random_numbers(struct hy_shaping *shaping);
void hy_shape_multinomial(struct hy_shaping *shaping);

/* Signals and tables. */
void hy_shape_complex_part(struct hy_shaping *shaping);
void hy_shape_hashtable_find(struct hy_shaping *shaping);
void hy_shape_hashtable_lookup(struct hy_shaping *shaping);
void hy_shape_rfft_2d(struct hy_shaping *shaping);

/* Reduction. */
void hy_shape_reduce(struct hy_shaping *shaping);
void hy_shape_arg_min_max(struct hy_shaping *shaping);
void hy_shape_topk_v2(struct hy_shaping *shaping);
void hy_shape_reduce_window(struct hy_shaping *shaping);

#endif
