#include "common/infer.h"

#include "common/infer_block.h"
#include "common/infer_conv.h"
#include "common/infer_detection.h"
#include "common/infer_dims.h"
#include "common/infer_elementwise.h"
#include "common/infer_join.h"
#include "common/infer_lookup.h"
#include "common/infer_lstm.h"
#include "common/infer_matmul.h"
#include "common/infer_normalise.h"
#include "common/infer_pad.h"
#include "common/infer_pool.h"
#include "common/infer_quantized_lstm.h"
#include "common/infer_random.h"
#include "common/infer_reduce.h"
#include "common/infer_reorder.h"
#include "common/infer_reshape.h"
#include "common/infer_resize.h"
#include "common/infer_rnn.h"
#include "common/infer_roi.h"
#include "common/infer_slice.h"
#include "common/infer_softmax.h"
#include "common/infer_transpose_conv.h"
#include "common/operation.h"

/* Input numbers as bits: one, all from one on, and the last of a list of any length. */
#define INPUT(n)       (UINT64_C(1) << (n))
#define INPUTS(a, b)   (INPUTS_FROM(a) & ~INPUTS_FROM((b) + 1))
#define INPUTS_FROM(n) (~UINT64_C(0) << (n))
#define LAST_INPUT     INPUT(63) /* more than any list of fixed length has */

static const struct rule {
    enum hy_code (*infer)(const struct hy_call *call, struct hy_shape *outputs,
                          struct hy_error *err);
    uint64_t values; /* inputs whose values must be known */
} rules[] = {
    [HY_OP_ABS] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_ADD] = {hy_infer_arithmetic, INPUT(2)},
    [HY_OP_ARGMAX] = {hy_infer_arg_extreme, INPUT(1)},
    [HY_OP_ARGMIN] = {hy_infer_arg_extreme, INPUT(1)},
    [HY_OP_AVERAGE_POOL_2D] = {hy_infer_pool_2d, INPUTS_FROM(1)},
    [HY_OP_BATCH_MATMUL] = {hy_infer_batch_matmul, INPUTS_FROM(2)},
    [HY_OP_AXIS_ALIGNED_BBOX_TRANSFORM] = {hy_infer_bbox_transform, 0},
    [HY_OP_BATCH_TO_SPACE_ND] = {hy_infer_batch_to_space, INPUTS_FROM(1)},
    [HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM] = {hy_infer_lstm, INPUTS(48, 52)},
    [HY_OP_BIDIRECTIONAL_SEQUENCE_RNN] = {hy_infer_rnn, INPUTS(12, 14)},
    [HY_OP_BOX_WITH_NMS_LIMIT] = {hy_infer_box_with_nms_limit, INPUTS_FROM(3)},
    [HY_OP_CAST] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_CHANNEL_SHUFFLE] = {hy_infer_channel_shuffle, INPUTS_FROM(1)},
    [HY_OP_CONCATENATION] = {hy_infer_concatenation, LAST_INPUT},
    [HY_OP_CONV_2D] = {hy_infer_conv_2d, INPUTS_FROM(3)},
    [HY_OP_DEPTHWISE_CONV_2D] = {hy_infer_depthwise_conv_2d, INPUTS_FROM(3)},
    [HY_OP_DEPTH_TO_SPACE] = {hy_infer_depth_to_space, INPUTS_FROM(1)},
    [HY_OP_DEQUANTIZE] = {hy_infer_same_shape, 0},
    [HY_OP_DETECTION_POSTPROCESSING] = {hy_infer_detection_postprocessing, INPUTS_FROM(3)},
    [HY_OP_DIV] = {hy_infer_arithmetic, INPUT(2)},
    [HY_OP_ELU] = {hy_infer_same_shape_of_any_rank, INPUT(1)},
    [HY_OP_EMBEDDING_LOOKUP] = {hy_infer_embedding_lookup, 0},
    [HY_OP_EQUAL] = {hy_infer_broadcast, 0},
    [HY_OP_EXP] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_EXPAND_DIMS] = {hy_infer_expand_dims, INPUT(1)},
    [HY_OP_FILL] = {hy_infer_fill, INPUT(0)},
    [HY_OP_FLOOR] = {hy_infer_same_shape, 0},
    [HY_OP_FULLY_CONNECTED] = {hy_infer_fully_connected, INPUT(3)},
    [HY_OP_GATHER] = {hy_infer_gather, INPUT(1)},
    [HY_OP_GENERATE_PROPOSALS] = {hy_infer_generate_proposals, INPUTS_FROM(4)},
    [HY_OP_GREATER] = {hy_infer_broadcast, 0},
    [HY_OP_GREATER_EQUAL] = {hy_infer_broadcast, 0},
    [HY_OP_GROUPED_CONV_2D] = {hy_infer_grouped_conv_2d, INPUTS_FROM(3)},
    [HY_OP_HARD_SWISH] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_HASHTABLE_LOOKUP] = {hy_infer_hashtable_lookup, 0},
    [HY_OP_HEATMAP_MAX_KEYPOINT] = {hy_infer_heatmap_max_keypoint, INPUT(2)},
    [HY_OP_INSTANCE_NORMALIZATION] = {hy_infer_instance_normalisation, INPUTS_FROM(1)},
    [HY_OP_L2_NORMALIZATION] = {hy_infer_l2_normalisation, INPUTS_FROM(1)},
    [HY_OP_L2_POOL_2D] = {hy_infer_pool_2d, INPUTS_FROM(1)},
    [HY_OP_LESS] = {hy_infer_broadcast, 0},
    [HY_OP_LESS_EQUAL] = {hy_infer_broadcast, 0},
    [HY_OP_LOCAL_RESPONSE_NORMALIZATION] = {hy_infer_local_response, INPUTS_FROM(1)},
    [HY_OP_LOG] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_LOGICAL_AND] = {hy_infer_broadcast, 0},
    [HY_OP_LOGICAL_NOT] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_LOGICAL_OR] = {hy_infer_broadcast, 0},
    [HY_OP_LOGISTIC] = {hy_infer_same_shape, 0},
    [HY_OP_LOG_SOFTMAX] = {hy_infer_log_softmax, INPUTS_FROM(1)},
    [HY_OP_LSH_PROJECTION] = {hy_infer_lsh_projection, INPUT(3)},
    [HY_OP_LSTM] = {hy_infer_lstm, INPUTS(20, 22)},
    [HY_OP_MAXIMUM] = {hy_infer_broadcast, 0},
    [HY_OP_MAX_POOL_2D] = {hy_infer_pool_2d, INPUTS_FROM(1)},
    [HY_OP_MEAN] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_MINIMUM] = {hy_infer_broadcast, 0},
    [HY_OP_MIRROR_PAD] = {hy_infer_mirror_pad, INPUTS_FROM(1)},
    [HY_OP_MUL] = {hy_infer_arithmetic, INPUT(2)},
    [HY_OP_NEG] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_NOT_EQUAL] = {hy_infer_broadcast, 0},
    [HY_OP_PACK] = {hy_infer_pack, INPUT(0)},
    [HY_OP_PAD] = {hy_infer_pad, INPUT(1)},
    [HY_OP_PAD_V2] = {hy_infer_pad, INPUTS_FROM(1)},
    [HY_OP_POW] = {hy_infer_broadcast, 0},
    [HY_OP_PRELU] = {hy_infer_broadcast, 0},
    [HY_OP_QUANTIZE] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_QUANTIZED_16BIT_LSTM] = {hy_infer_quantized_16bit_lstm, 0},
    [HY_OP_QUANTIZED_LSTM] = {hy_infer_quantized_lstm, INPUTS(24, 31)},
    [HY_OP_RANDOM_MULTINOMIAL] = {hy_infer_random_multinomial, INPUT(1)},
    [HY_OP_RANK] = {hy_infer_rank, 0},
    [HY_OP_REDUCE_ALL] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_REDUCE_ANY] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_REDUCE_MAX] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_REDUCE_MIN] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_REDUCE_PROD] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_REDUCE_SUM] = {hy_infer_reduce, INPUTS_FROM(1)},
    [HY_OP_RELU] = {hy_infer_same_shape, 0},
    [HY_OP_RELU1] = {hy_infer_same_shape, 0},
    [HY_OP_RELU6] = {hy_infer_same_shape, 0},
    [HY_OP_RESHAPE] = {hy_infer_reshape, INPUT(1)},
    [HY_OP_RESIZE_BILINEAR] = {hy_infer_resize, INPUTS_FROM(1)},
    [HY_OP_RESIZE_NEAREST_NEIGHBOR] = {hy_infer_resize, INPUTS_FROM(1)},
    [HY_OP_REVERSE] = {hy_infer_reverse, INPUT(1)},
    [HY_OP_RNN] = {hy_infer_rnn, INPUT(5)},
    [HY_OP_ROI_ALIGN] = {hy_infer_roi, INPUTS_FROM(3)},
    [HY_OP_ROI_POOLING] = {hy_infer_roi, INPUTS_FROM(3)},
    [HY_OP_RSQRT] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_SELECT] = {hy_infer_select, 0},
    [HY_OP_SIN] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_SLICE] = {hy_infer_slice, INPUTS_FROM(1)},
    [HY_OP_SOFTMAX] = {hy_infer_softmax, INPUTS_FROM(1)},
    [HY_OP_SPACE_TO_BATCH_ND] = {hy_infer_space_to_batch, INPUTS_FROM(1)},
    [HY_OP_SPACE_TO_DEPTH] = {hy_infer_space_to_depth, INPUTS_FROM(1)},
    [HY_OP_SPLIT] = {hy_infer_split, INPUTS_FROM(1)},
    [HY_OP_SQRT] = {hy_infer_same_shape_of_any_rank, 0},
    [HY_OP_SQUEEZE] = {hy_infer_squeeze, INPUT(1)},
    [HY_OP_STRIDED_SLICE] = {hy_infer_strided_slice, INPUTS_FROM(1)},
    [HY_OP_SUB] = {hy_infer_arithmetic, INPUT(2)},
    [HY_OP_SVDF] = {hy_infer_svdf, INPUTS(5, 6)},
    [HY_OP_TANH] = {hy_infer_same_shape, 0},
    [HY_OP_TILE] = {hy_infer_tile, INPUT(1)},
    [HY_OP_TOPK_V2] = {hy_infer_top_k, INPUT(1)},
    [HY_OP_TRANSPOSE] = {hy_infer_transpose, INPUT(1)},
    [HY_OP_TRANSPOSE_CONV_2D] = {hy_infer_transpose_conv_2d, INPUTS_FROM(3)},
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM] = {hy_infer_lstm, INPUTS(20, 23)},
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN] = {hy_infer_rnn, INPUTS(5, 6)},
};

#define RULE_COUNT ((int32_t)(sizeof rules / sizeof rules[0]))

bool hy_infer_knows(int32_t operation)
{
    return operation >= 0 && operation < RULE_COUNT && rules[operation].infer;
}

bool hy_infer_needs_value(int32_t operation, uint32_t index, uint32_t input_count)
{
    if (!hy_infer_knows(operation))
        return false;
    uint64_t values = rules[operation].values;
    if (index + 1 == input_count && values & LAST_INPUT)
        return true;
    return values >> (index < 62 ? index : 62) & 1;
}

bool hy_infer_gives_limits(int32_t operation)
{
    return operation == HY_OP_BOX_WITH_NMS_LIMIT || operation == HY_OP_GENERATE_PROPOSALS;
}

enum hy_code hy_infer_shapes(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    if (!hy_infer_knows(call->operation))
        return hy_fail(err, HY_FAILED, "there is no rule for its shapes");
    return rules[call->operation].infer(call, outputs, err);
}
