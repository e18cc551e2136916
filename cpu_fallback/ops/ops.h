#ifndef HY_CPU_FALLBACK_OPS_OPS_H
#define HY_CPU_FALLBACK_OPS_OPS_H

#include "cpu_fallback/op.h"

/* The functions in the rows of op_table.c, by family. What they promise stands in op.h. */

#define HY_CPU_RESOLVE(name) \
    enum hy_code name(const struct hy_cpu_site *site, struct hy_cpu_step *step, \
                      struct hy_error *err)
#define HY_CPU_RUN(name) enum hy_code name(const struct hy_cpu_work *work, struct hy_error *err)

/* conv.c: one run for all of them */
HY_CPU_RESOLVE(hy_cpu_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_depthwise_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_grouped_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_transpose_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_fully_connected_resolve);
HY_CPU_RUN(hy_cpu_conv_run);

/* batch_matmul.c */
HY_CPU_RESOLVE(hy_cpu_batch_matmul_resolve);
HY_CPU_RUN(hy_cpu_batch_matmul_run);

/* extreme.c */
HY_CPU_RESOLVE(hy_cpu_arg_extreme_resolve);
HY_CPU_RUN(hy_cpu_arg_extreme_run);
HY_CPU_RESOLVE(hy_cpu_top_k_resolve);
HY_CPU_RUN(hy_cpu_top_k_run);

/* normalise.c: one run for all three */
HY_CPU_RESOLVE(hy_cpu_l2_normalisation_resolve);
HY_CPU_RESOLVE(hy_cpu_local_response_resolve);
HY_CPU_RESOLVE(hy_cpu_instance_normalisation_resolve);
HY_CPU_RUN(hy_cpu_normalise_run);

/* pool.c: one pair for all pools */
HY_CPU_RESOLVE(hy_cpu_pool_resolve);
HY_CPU_RUN(hy_cpu_pool_run);

/* random_multinomial.c */
HY_CPU_RESOLVE(hy_cpu_random_multinomial_resolve);
HY_CPU_RUN(hy_cpu_random_multinomial_run);

/* reduce.c: one pair for MEAN and all of REDUCE_ALL ... REDUCE_SUM */
HY_CPU_RESOLVE(hy_cpu_reduce_resolve);
HY_CPU_RUN(hy_cpu_reduce_run);

/* binary.c */
HY_CPU_RESOLVE(hy_cpu_binary_resolve);
HY_CPU_RUN(hy_cpu_binary_run);

/* cast.c */
HY_CPU_RESOLVE(hy_cpu_cast_resolve);
HY_CPU_RUN(hy_cpu_cast_run);

/* dequantize.c */
HY_CPU_RESOLVE(hy_cpu_dequantize_resolve);
HY_CPU_RUN(hy_cpu_dequantize_run);

/* quantize.c */
HY_CPU_RESOLVE(hy_cpu_quantize_resolve);
HY_CPU_RUN(hy_cpu_quantize_run);

/* reshape.c */
HY_CPU_RESOLVE(hy_cpu_reshape_resolve);
HY_CPU_RUN(hy_cpu_reshape_run);

/* select.c */
HY_CPU_RESOLVE(hy_cpu_select_resolve);
HY_CPU_RUN(hy_cpu_select_run);

/* softmax.c */
HY_CPU_RESOLVE(hy_cpu_softmax_resolve);
HY_CPU_RESOLVE(hy_cpu_log_softmax_resolve);
HY_CPU_RUN(hy_cpu_softmax_run);

/* unary.c */
HY_CPU_RESOLVE(hy_cpu_unary_resolve);
HY_CPU_RUN(hy_cpu_unary_run);

/* block.c */
HY_CPU_RESOLVE(hy_cpu_batch_to_space_resolve);
HY_CPU_RESOLVE(hy_cpu_space_to_batch_resolve);
HY_CPU_RESOLVE(hy_cpu_depth_to_space_resolve);
HY_CPU_RESOLVE(hy_cpu_space_to_depth_resolve);

/* join.c */
HY_CPU_RESOLVE(hy_cpu_concatenation_resolve);
HY_CPU_RESOLVE(hy_cpu_pack_resolve);
HY_CPU_RESOLVE(hy_cpu_split_resolve);
HY_CPU_RUN(hy_cpu_concatenation_run);

/* lookup.c */
HY_CPU_RESOLVE(hy_cpu_gather_resolve);
HY_CPU_RESOLVE(hy_cpu_embedding_lookup_resolve);
HY_CPU_RESOLVE(hy_cpu_hashtable_lookup_resolve);
HY_CPU_RUN(hy_cpu_gather_run);
HY_CPU_RUN(hy_cpu_hashtable_lookup_run);

/* lsh_projection.c */
HY_CPU_RESOLVE(hy_cpu_lsh_projection_resolve);
HY_CPU_RUN(hy_cpu_lsh_projection_run);

/* move.c: the run of everything that is resolved to a list of moves */
HY_CPU_RUN(hy_cpu_moves_run);

/* pad.c */
HY_CPU_RESOLVE(hy_cpu_pad_resolve);
HY_CPU_RESOLVE(hy_cpu_pad_v2_resolve);
HY_CPU_RESOLVE(hy_cpu_mirror_pad_resolve);

/* rank.c */
HY_CPU_RESOLVE(hy_cpu_rank_resolve);
HY_CPU_RUN(hy_cpu_rank_run);

/* reorder.c */
HY_CPU_RESOLVE(hy_cpu_transpose_resolve);
HY_CPU_RESOLVE(hy_cpu_channel_shuffle_resolve);
HY_CPU_RESOLVE(hy_cpu_tile_resolve);
HY_CPU_RESOLVE(hy_cpu_fill_resolve);

/* resize.c: one run for both */
HY_CPU_RESOLVE(hy_cpu_resize_bilinear_resolve);
HY_CPU_RESOLVE(hy_cpu_resize_nearest_resolve);
HY_CPU_RUN(hy_cpu_resize_run);

/* slice.c */
HY_CPU_RESOLVE(hy_cpu_slice_resolve);
HY_CPU_RESOLVE(hy_cpu_strided_slice_resolve);
HY_CPU_RESOLVE(hy_cpu_reverse_resolve);

/* lstm.c: one pair for LSTM and both sequences */
HY_CPU_RESOLVE(hy_cpu_lstm_resolve);
HY_CPU_RUN(hy_cpu_lstm_run);

/* quantized_16bit_lstm.c */
HY_CPU_RESOLVE(hy_cpu_quantized_16bit_lstm_resolve);
HY_CPU_RUN(hy_cpu_quantized_16bit_lstm_run);

/* quantized_lstm.c */
HY_CPU_RESOLVE(hy_cpu_quantized_lstm_resolve);
HY_CPU_RUN(hy_cpu_quantized_lstm_run);

/* rnn.c: one pair for RNN and both sequences */
HY_CPU_RESOLVE(hy_cpu_rnn_resolve);
HY_CPU_RUN(hy_cpu_rnn_run);

/* svdf.c */
HY_CPU_RESOLVE(hy_cpu_svdf_resolve);
HY_CPU_RUN(hy_cpu_svdf_run);

/* bbox_transform.c */
HY_CPU_RESOLVE(hy_cpu_bbox_transform_resolve);
HY_CPU_RUN(hy_cpu_bbox_transform_run);

/* box_with_nms_limit.c */
HY_CPU_RESOLVE(hy_cpu_box_with_nms_limit_resolve);
HY_CPU_RUN(hy_cpu_box_with_nms_limit_run);

/* detection_postprocessing.c */
HY_CPU_RESOLVE(hy_cpu_detection_postprocessing_resolve);
HY_CPU_RUN(hy_cpu_detection_postprocessing_run);

/* generate_proposals.c */
HY_CPU_RESOLVE(hy_cpu_generate_proposals_resolve);
HY_CPU_RUN(hy_cpu_generate_proposals_run);

/* heatmap_max_keypoint.c */
HY_CPU_RESOLVE(hy_cpu_heatmap_max_keypoint_resolve);
HY_CPU_RUN(hy_cpu_heatmap_max_keypoint_run);

/* roi.c: one pair for ROI_ALIGN and ROI_POOLING */
HY_CPU_RESOLVE(hy_cpu_roi_resolve);
HY_CPU_RUN(hy_cpu_roi_run);

#endif
