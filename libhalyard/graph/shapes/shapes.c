#include "libhalyard/graph/shapes/shapes.h"

#include "libhalyard/graph/shapes/shape_rules.h"

/* NULL: the shape in the file stays. */
static void (*const rules[HY_OPERATOR_COUNT])(struct hy_shaping *) = {
    [HY_OPERATOR_ABS] = hy_shape_like_first,
    [HY_OPERATOR_ADD] = hy_shape_broadcast_two,
    [HY_OPERATOR_ADD_N] = hy_shape_like_first,
    [HY_OPERATOR_ARG_MAX] = hy_shape_arg_min_max,
    [HY_OPERATOR_ARG_MIN] = hy_shape_arg_min_max,
    [HY_OPERATOR_ATAN2] = hy_shape_like_first,
    [HY_OPERATOR_AVERAGE_POOL_2D] = hy_shape_pool_2d,
    [HY_OPERATOR_BATCH_MATMUL] = hy_shape_batch_matmul,
    [HY_OPERATOR_BATCH_TO_SPACE_ND] = hy_shape_batch_to_space,
    [HY_OPERATOR_BIDIRECTIONAL_SEQUENCE_LSTM] = hy_shape_bidirectional_lstm,
    [HY_OPERATOR_BIDIRECTIONAL_SEQUENCE_RNN] = hy_shape_bidirectional_rnn,
    [HY_OPERATOR_BITCAST] = hy_shape_bitcast,
    [HY_OPERATOR_BITWISE_XOR] = hy_shape_broadcast_two,
    [HY_OPERATOR_BROADCAST_ARGS] = hy_shape_broadcast_args,
    [HY_OPERATOR_BROADCAST_TO] = hy_shape_broadcast_to,
    [HY_OPERATOR_BUCKETIZE] = hy_shape_like_first,
    [HY_OPERATOR_CAST] = hy_shape_like_first,
    [HY_OPERATOR_CEIL] = hy_shape_like_first,
    [HY_OPERATOR_COMPLEX_ABS] = hy_shape_complex_part,
    [HY_OPERATOR_CONCATENATION] = hy_shape_concatenation,
    [HY_OPERATOR_CONV_2D] = hy_shape_conv_2d,
    [HY_OPERATOR_CONV_3D] = hy_shape_conv_3d,
    [HY_OPERATOR_COS] = hy_shape_like_first,
    [HY_OPERATOR_CUMSUM] = hy_shape_like_first,
    [HY_OPERATOR_DENSIFY] = hy_shape_like_first,
    [HY_OPERATOR_DEPTHWISE_CONV_2D] = hy_shape_depthwise_conv_2d,
    [HY_OPERATOR_DEPTH_TO_SPACE] = hy_shape_depth_to_space,
    [HY_OPERATOR_DEQUANTIZE] = hy_shape_like_first,
    [HY_OPERATOR_DETECTION_POSTPROCESS] = hy_shape_detection_postprocess,
    [HY_OPERATOR_DILATE] = hy_shape_dilate,
    [HY_OPERATOR_DIV] = hy_shape_broadcast_two,
    [HY_OPERATOR_DYNAMIC_UPDATE_SLICE] = hy_shape_like_first,
    [HY_OPERATOR_ELU] = hy_shape_like_first,
    [HY_OPERATOR_EMBEDDING_LOOKUP] = hy_shape_embedding_lookup,
    [HY_OPERATOR_EQUAL] = hy_shape_broadcast_two,
    [HY_OPERATOR_EXP] = hy_shape_like_first,
    [HY_OPERATOR_EXPAND_DIMS] = hy_shape_expand_dims,
    [HY_OPERATOR_FAKE_QUANT] = hy_shape_like_first,
    [HY_OPERATOR_FILL] = hy_shape_shape_given,
    [HY_OPERATOR_FLOOR] = hy_shape_like_first,
    [HY_OPERATOR_FLOOR_DIV] = hy_shape_broadcast_two,
    [HY_OPERATOR_FLOOR_MOD] = hy_shape_broadcast_two,
    [HY_OPERATOR_FULLY_CONNECTED] = hy_shape_fully_connected,
    [HY_OPERATOR_GATHER] = hy_shape_gather,
    [HY_OPERATOR_GATHER_ND] = hy_shape_gather_nd,
    [HY_OPERATOR_GELU] = hy_shape_like_first,
    [HY_OPERATOR_GREATER] = hy_shape_broadcast_two,
    [HY_OPERATOR_GREATER_EQUAL] = hy_shape_broadcast_two,
    [HY_OPERATOR_HARD_SWISH] = hy_shape_like_first,
    [HY_OPERATOR_HASHTABLE_FIND] = hy_shape_hashtable_find,
    [HY_OPERATOR_HASHTABLE_LOOKUP] = hy_shape_hashtable_lookup,
    [HY_OPERATOR_IF] = hy_shape_if,
    [HY_OPERATOR_IMAG] = hy_shape_complex_part,
    [HY_OPERATOR_L2_NORMALIZATION] = hy_shape_like_first,
    [HY_OPERATOR_L2_POOL_2D] = hy_shape_pool_2d,
    [HY_OPERATOR_LANDMARKS_TO_TRANSFORM_MATRIX] = hy_shape_landmarks_matrix,
    [HY_OPERATOR_LEAKY_RELU] = hy_shape_like_first,
    [HY_OPERATOR_LESS] = hy_shape_broadcast_two,
    [HY_OPERATOR_LESS_EQUAL] = hy_shape_broadcast_two,
    [HY_OPERATOR_LOCAL_RESPONSE_NORMALIZATION] = hy_shape_like_first,
    [HY_OPERATOR_LOG] = hy_shape_like_first,
    [HY_OPERATOR_LOGICAL_AND] = hy_shape_broadcast_two,
    [HY_OPERATOR_LOGICAL_NOT] = hy_shape_like_first,
    [HY_OPERATOR_LOGICAL_OR] = hy_shape_broadcast_two,
    [HY_OPERATOR_LOGISTIC] = hy_shape_like_first,
    [HY_OPERATOR_LOG_SOFTMAX] = hy_shape_like_first,
    [HY_OPERATOR_LSTM] = hy_shape_lstm,
    [HY_OPERATOR_MATRIX_DIAG] = hy_shape_matrix_diag,
    [HY_OPERATOR_MATRIX_SET_DIAG] = hy_shape_like_first,
    [HY_OPERATOR_MAX_POOL_2D] = hy_shape_pool_2d,
    [HY_OPERATOR_MAX_POOL_WITH_ARGMAX_2D] = hy_shape_pool_2d,
    [HY_OPERATOR_MAX_UNPOOL_2D] = hy_shape_unpool_2d,
    [HY_OPERATOR_MAXIMUM] = hy_shape_broadcast_two,
    [HY_OPERATOR_MEAN] = hy_shape_reduce,
    [HY_OPERATOR_MINIMUM] = hy_shape_broadcast_two,
    [HY_OPERATOR_MIRROR_PAD] = hy_shape_pad,
    [HY_OPERATOR_MUL] = hy_shape_broadcast_two,
    [HY_OPERATOR_MULTINOMIAL] = hy_shape_multinomial,
    [HY_OPERATOR_NEG] = hy_shape_like_first,
    [HY_OPERATOR_NON_MAX_SUPPRESSION_V4] = hy_shape_suppression,
    [HY_OPERATOR_NON_MAX_SUPPRESSION_V5] = hy_shape_suppression,
    [HY_OPERATOR_NOT_EQUAL] = hy_shape_broadcast_two,
    [HY_OPERATOR_ONE_HOT] = hy_shape_one_hot,
    [HY_OPERATOR_PACK] = hy_shape_pack,
    [HY_OPERATOR_PAD] = hy_shape_pad,
    [HY_OPERATOR_PAD_V2] = hy_shape_pad,
    [HY_OPERATOR_POW] = hy_shape_broadcast_two,
    [HY_OPERATOR_PRELU] = hy_shape_broadcast_two,
    [HY_OPERATOR_QUANTIZE] = hy_shape_like_first,
    [HY_OPERATOR_RANDOM_STANDARD_NORMAL] = hy_shape_random_numbers,
    [HY_OPERATOR_RANDOM_UNIFORM] = hy_shape_random_numbers,
    [HY_OPERATOR_RANGE] = hy_shape_range,
    [HY_OPERATOR_RANK] = hy_shape_scalar,
    [HY_OPERATOR_REAL] = hy_shape_complex_part,
    [HY_OPERATOR_REDUCE_ALL] = hy_shape_reduce,
    [HY_OPERATOR_REDUCE_ANY] = hy_shape_reduce,
    [HY_OPERATOR_REDUCE_MAX] = hy_shape_reduce,
    [HY_OPERATOR_REDUCE_MIN] = hy_shape_reduce,
    [HY_OPERATOR_REDUCE_PROD] = hy_shape_reduce,
    [HY_OPERATOR_REDUCE_WINDOW] = hy_shape_reduce_window,
    [HY_OPERATOR_RELU] = hy_shape_like_first,
    [HY_OPERATOR_RELU1] = hy_shape_like_first,
    [HY_OPERATOR_RELU6] = hy_shape_like_first,
    [HY_OPERATOR_RELU_0_TO_1] = hy_shape_like_first,
    [HY_OPERATOR_RESHAPE] = hy_shape_reshape,
    [HY_OPERATOR_RESIZE_BILINEAR] = hy_shape_resize,
    [HY_OPERATOR_RESIZE_NEAREST_NEIGHBOR] = hy_shape_resize,
    [HY_OPERATOR_ROUND] = hy_shape_like_first,
    [HY_OPERATOR_REVERSE] = hy_shape_like_first,
    [HY_OPERATOR_REVERSE_SEQUENCE] = hy_shape_like_first,
    [HY_OPERATOR_RFFT_2D] = hy_shape_rfft_2d,
    [HY_OPERATOR_RIGHT_SHIFT] = hy_shape_broadcast_two,
    [HY_OPERATOR_RNN] = hy_shape_rnn,
    [HY_OPERATOR_RSQRT] = hy_shape_like_first,
    [HY_OPERATOR_SCATTER_ND] = hy_shape_scatter_nd,
    [HY_OPERATOR_SEGMENT_SUM] = hy_shape_segment_sum,
    [HY_OPERATOR_SELECT] = hy_shape_like_second,
    [HY_OPERATOR_SELECT_V2] = hy_shape_broadcast_three,
    [HY_OPERATOR_SHAPE] = hy_shape_shape_vector,
    [HY_OPERATOR_SIGN] = hy_shape_like_first,
    [HY_OPERATOR_SIN] = hy_shape_like_first,
    [HY_OPERATOR_SLICE] = hy_shape_slice,
    [HY_OPERATOR_SOFTMAX] = hy_shape_like_first,
    [HY_OPERATOR_SPACE_TO_BATCH_ND] = hy_shape_space_to_batch,
    [HY_OPERATOR_SPACE_TO_DEPTH] = hy_shape_space_to_depth,
    [HY_OPERATOR_SPARSE_TO_DENSE] = hy_shape_sparse_to_dense,
    [HY_OPERATOR_SPLIT] = hy_shape_split,
    [HY_OPERATOR_SPLIT_V] = hy_shape_split_v,
    [HY_OPERATOR_SQRT] = hy_shape_like_first,
    [HY_OPERATOR_SQUARE] = hy_shape_like_first,
    [HY_OPERATOR_SQUARED_DIFFERENCE] = hy_shape_broadcast_two,
    [HY_OPERATOR_SQUEEZE] = hy_shape_squeeze,
    [HY_OPERATOR_STRIDED_SLICE] = hy_shape_strided_slice,
    [HY_OPERATOR_SUB] = hy_shape_broadcast_two,
    [HY_OPERATOR_SUM] = hy_shape_reduce,
    [HY_OPERATOR_SVDF] = hy_shape_svdf,
    [HY_OPERATOR_TANH] = hy_shape_like_first,
    [HY_OPERATOR_TILE] = hy_shape_tile,
    [HY_OPERATOR_TOPK_V2] = hy_shape_topk_v2,
    [HY_OPERATOR_TRANSFORM_LANDMARKS] = hy_shape_like_first,
    [HY_OPERATOR_TRANSFORM_TENSOR_BILINEAR] = hy_shape_transform_tensor,
    [HY_OPERATOR_TRANSPOSE] = hy_shape_transpose,
    [HY_OPERATOR_TRANSPOSE_CONV_2D] = hy_shape_transpose_conv_2d,
    [HY_OPERATOR_TRANSPOSE_CONV_3D] = hy_shape_transpose_conv_3d,
    [HY_OPERATOR_UNIDIRECTIONAL_SEQUENCE_LSTM] = hy_shape_lstm,
    [HY_OPERATOR_UNIDIRECTIONAL_SEQUENCE_RNN] = hy_shape_rnn,
    [HY_OPERATOR_UNIQUE] = hy_shape_unique,
    [HY_OPERATOR_UNPACK] = hy_shape_unpack,
    [HY_OPERATOR_UNSORTED_SEGMENT_MAX] = hy_shape_unsorted_segment,
    [HY_OPERATOR_UNSORTED_SEGMENT_MIN] = hy_shape_unsorted_segment,
    [HY_OPERATOR_UNSORTED_SEGMENT_PROD] = hy_shape_unsorted_segment,
    [HY_OPERATOR_UNSORTED_SEGMENT_SUM] = hy_shape_unsorted_segment,
    [HY_OPERATOR_WHERE] = hy_shape_where,
    [HY_OPERATOR_WHILE] = hy_shape_while,
    [HY_OPERATOR_ZEROS_LIKE] = hy_shape_like_first,
};

static bool has_unknown_extent(const struct hy_graph_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->extents[i] == HY_UNKNOWN_EXTENT)
            return true;
    }
    return false;
}

static bool reads_unknown_extents(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != HY_NO_TENSOR && has_unknown_extent(&graph->tensors[node->inputs[i]]))
            return true;
    }
    return false;
}

/* The inputs, a bit each, that determine the shape of the output. */
static uint32_t shaping_inputs(enum hy_operator operator_)
{
    switch (operator_) {
    case HY_OPERATOR_STRIDED_SLICE:
        return 1u << 1 | 1u << 2 | 1u << 3;
    case HY_OPERATOR_BATCH_TO_SPACE_ND:
    case HY_OPERATOR_SLICE:
    case HY_OPERATOR_SPACE_TO_BATCH_ND:
    case HY_OPERATOR_SPLIT_V:
        return 1u << 1 | 1u << 2;
    case HY_OPERATOR_BROADCAST_TO:
    case HY_OPERATOR_DILATE:
    case HY_OPERATOR_EXPAND_DIMS:
    case HY_OPERATOR_MIRROR_PAD:
    case HY_OPERATOR_ONE_HOT:
    case HY_OPERATOR_PAD:
    case HY_OPERATOR_PAD_V2:
    case HY_OPERATOR_RESIZE_BILINEAR:
    case HY_OPERATOR_RESIZE_NEAREST_NEIGHBOR:
    case HY_OPERATOR_RFFT_2D:
    case HY_OPERATOR_SPARSE_TO_DENSE:
    case HY_OPERATOR_TILE:
    case HY_OPERATOR_TRANSPOSE:
        return 1u << 1;
    case HY_OPERATOR_EMBEDDING_LOOKUP_SPARSE:
    case HY_OPERATOR_SCATTER_ND:
        return 1u << 2;
    case HY_OPERATOR_FILL:
    case HY_OPERATOR_RANDOM_STANDARD_NORMAL:
    case HY_OPERATOR_RANDOM_UNIFORM:
        return 1u << 0;
    case HY_OPERATOR_RANGE:
        return 1u << 0 | 1u << 1 | 1u << 2;
    default:
        return 0;
    }
}

/* A run computes the shape of the output. */
static bool computes_shape(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    const uint32_t inputs = shaping_inputs(node->operator_);
    for (uint32_t i = 0; i < node->input_count; i++) {
        if ((i < 4 && inputs >> i & 1) && node->inputs[i] != HY_NO_TENSOR &&
            !graph->tensors[node->inputs[i]].data)
            return true;
    }
    return false;
}

static void clear_outputs(struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct hy_graph_tensor *output = &graph->tensors[node->outputs[i]];
        for (uint32_t j = 0; j < output->rank; j++)
            output->extents[j] = HY_UNKNOWN_EXTENT;
    }
}

void hy_graph_infer_shapes(struct hy_graph *graph, const struct hy_graph_node *node)
{
    struct hy_shaping shaping = {.graph = graph, .node = node, .fits = true};
    if (rules[node->operator_])
        rules[node->operator_](&shaping);
    if ((!rules[node->operator_] || !shaping.fits) &&
        (reads_unknown_extents(graph, node) || computes_shape(graph, node)))
        clear_outputs(graph, node);
}
