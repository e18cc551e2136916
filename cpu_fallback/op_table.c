#include "common/checked.h"
#include "common/operand_type.h"
#include "common/operation.h"
#include "cpu_fallback/band.h"
#include "cpu_fallback/entry.h"
#include "cpu_fallback/op.h"
#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

/* What operations pack. Of a cell, from its first weights on; an LSTM has peepholes in between. */
#define FILTER_AND_BIAS HY_CPU_OP_PACKS(1, 2)
#define RNN_CELL(first) HY_CPU_OP_PACKS(first, (first) + 2)
#define LSTM_CELL(first) \
    (HY_CPU_OP_PACKS(first, (first) + 7) | HY_CPU_OP_PACKS((first) + 11, (first) + 14))

static const struct hy_cpu_op ops[] = {
    [HY_OP_ABS] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_ADD] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_ARGMAX] = {0, hy_cpu_arg_extreme_resolve, hy_cpu_arg_extreme_run, NULL},
    [HY_OP_ARGMIN] = {0, hy_cpu_arg_extreme_resolve, hy_cpu_arg_extreme_run, NULL},
    [HY_OP_AVERAGE_POOL_2D] = {0, hy_cpu_pool_resolve, hy_cpu_pool_run, NULL},
    [HY_OP_AXIS_ALIGNED_BBOX_TRANSFORM] = {0, hy_cpu_bbox_transform_resolve,
                                           hy_cpu_bbox_transform_run, NULL},
    [HY_OP_BATCH_MATMUL] = {0, hy_cpu_batch_matmul_resolve, hy_cpu_batch_matmul_run, NULL},
    [HY_OP_BATCH_TO_SPACE_ND] = {0, hy_cpu_batch_to_space_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM] = {LSTM_CELL(1) | LSTM_CELL(18), hy_cpu_lstm_resolve,
                                           hy_cpu_lstm_run, NULL},
    [HY_OP_BIDIRECTIONAL_SEQUENCE_RNN] = {RNN_CELL(1) | RNN_CELL(5), hy_cpu_rnn_resolve,
                                          hy_cpu_rnn_run, NULL},
    [HY_OP_BOX_WITH_NMS_LIMIT] = {0, hy_cpu_box_with_nms_limit_resolve,
                                  hy_cpu_box_with_nms_limit_run, NULL},
    [HY_OP_CAST] = {0, hy_cpu_cast_resolve, hy_cpu_cast_run, NULL},
    [HY_OP_CHANNEL_SHUFFLE] = {0, hy_cpu_channel_shuffle_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_CONCATENATION] = {0, hy_cpu_concatenation_resolve, hy_cpu_concatenation_run, NULL},
    [HY_OP_CONV_2D] = {FILTER_AND_BIAS, hy_cpu_conv_2d_resolve, hy_cpu_conv_run,
                       &hy_cpu_conv_banded},
    [HY_OP_DEPTHWISE_CONV_2D] = {FILTER_AND_BIAS, hy_cpu_depthwise_conv_2d_resolve, hy_cpu_conv_run,
                                 &hy_cpu_conv_banded},
    [HY_OP_DEPTH_TO_SPACE] = {0, hy_cpu_depth_to_space_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_DEQUANTIZE] = {0, hy_cpu_dequantize_resolve, hy_cpu_dequantize_run, NULL},
    [HY_OP_DETECTION_POSTPROCESSING] = {0, hy_cpu_detection_postprocessing_resolve,
                                        hy_cpu_detection_postprocessing_run, NULL},
    [HY_OP_DIV] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_ELU] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_EMBEDDING_LOOKUP] = {0, hy_cpu_embedding_lookup_resolve, hy_cpu_gather_run, NULL},
    [HY_OP_EQUAL] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_EXP] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_EXPAND_DIMS] = {HY_CPU_OP_CAN_ALIAS, hy_cpu_reshape_resolve, hy_cpu_reshape_run, NULL},
    [HY_OP_FILL] = {0, hy_cpu_fill_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_FLOOR] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_FULLY_CONNECTED] = {FILTER_AND_BIAS, hy_cpu_fully_connected_resolve, hy_cpu_conv_run,
                               &hy_cpu_conv_banded},
    [HY_OP_GATHER] = {0, hy_cpu_gather_resolve, hy_cpu_gather_run, NULL},
    [HY_OP_GENERATE_PROPOSALS] = {0, hy_cpu_generate_proposals_resolve,
                                  hy_cpu_generate_proposals_run, NULL},
    [HY_OP_GREATER] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_GREATER_EQUAL] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_GROUPED_CONV_2D] = {FILTER_AND_BIAS, hy_cpu_grouped_conv_2d_resolve, hy_cpu_conv_run,
                               &hy_cpu_conv_banded},
    [HY_OP_HARD_SWISH] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_HASHTABLE_LOOKUP] = {0, hy_cpu_hashtable_lookup_resolve, hy_cpu_hashtable_lookup_run,
                                NULL},
    [HY_OP_HEATMAP_MAX_KEYPOINT] = {0, hy_cpu_heatmap_max_keypoint_resolve,
                                    hy_cpu_heatmap_max_keypoint_run, NULL},
    [HY_OP_INSTANCE_NORMALIZATION] = {0, hy_cpu_instance_normalisation_resolve,
                                      hy_cpu_normalise_run, NULL},
    [HY_OP_L2_NORMALIZATION] = {0, hy_cpu_l2_normalisation_resolve, hy_cpu_normalise_run, NULL},
    [HY_OP_L2_POOL_2D] = {0, hy_cpu_pool_resolve, hy_cpu_pool_run, NULL},
    [HY_OP_LESS] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_LESS_EQUAL] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_LOCAL_RESPONSE_NORMALIZATION] = {0, hy_cpu_local_response_resolve, hy_cpu_normalise_run,
                                            NULL},
    [HY_OP_LOG] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_LOGICAL_AND] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_LOGICAL_NOT] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, NULL},
    [HY_OP_LOGICAL_OR] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_LOGISTIC] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_LOG_SOFTMAX] = {0, hy_cpu_log_softmax_resolve, hy_cpu_softmax_run, NULL},
    [HY_OP_LSH_PROJECTION] = {0, hy_cpu_lsh_projection_resolve, hy_cpu_lsh_projection_run, NULL},
    [HY_OP_LSTM] = {LSTM_CELL(1), hy_cpu_lstm_resolve, hy_cpu_lstm_run, NULL},
    [HY_OP_MAXIMUM] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_MAX_POOL_2D] = {0, hy_cpu_pool_resolve, hy_cpu_pool_run, NULL},
    [HY_OP_MEAN] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_MINIMUM] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_MIRROR_PAD] = {0, hy_cpu_mirror_pad_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_MUL] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_NEG] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_NOT_EQUAL] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, NULL},
    [HY_OP_PACK] = {0, hy_cpu_pack_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_PAD] = {0, hy_cpu_pad_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_PAD_V2] = {0, hy_cpu_pad_v2_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_POW] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_PRELU] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_QUANTIZE] = {0, hy_cpu_quantize_resolve, hy_cpu_quantize_run, NULL},
    [HY_OP_QUANTIZED_16BIT_LSTM] = {0, hy_cpu_quantized_16bit_lstm_resolve,
                                    hy_cpu_quantized_16bit_lstm_run, NULL},
    [HY_OP_QUANTIZED_LSTM] = {0, hy_cpu_quantized_lstm_resolve, hy_cpu_quantized_lstm_run, NULL},
    [HY_OP_RANDOM_MULTINOMIAL] = {0, hy_cpu_random_multinomial_resolve,
                                  hy_cpu_random_multinomial_run, NULL},
    [HY_OP_RANK] = {0, hy_cpu_rank_resolve, hy_cpu_rank_run, NULL},
    [HY_OP_REDUCE_ALL] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_REDUCE_ANY] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_REDUCE_MAX] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_REDUCE_MIN] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_REDUCE_PROD] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_REDUCE_SUM] = {0, hy_cpu_reduce_resolve, hy_cpu_reduce_run, NULL},
    [HY_OP_RELU] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_RELU1] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_RELU6] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_RESHAPE] = {HY_CPU_OP_CAN_ALIAS, hy_cpu_reshape_resolve, hy_cpu_reshape_run, NULL},
    [HY_OP_RESIZE_BILINEAR] = {0, hy_cpu_resize_bilinear_resolve, hy_cpu_resize_run, NULL},
    [HY_OP_RESIZE_NEAREST_NEIGHBOR] = {0, hy_cpu_resize_nearest_resolve, hy_cpu_resize_run, NULL},
    [HY_OP_REVERSE] = {0, hy_cpu_reverse_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_RNN] = {RNN_CELL(1), hy_cpu_rnn_resolve, hy_cpu_rnn_run, NULL},
    [HY_OP_ROI_ALIGN] = {0, hy_cpu_roi_resolve, hy_cpu_roi_run, NULL},
    [HY_OP_ROI_POOLING] = {0, hy_cpu_roi_resolve, hy_cpu_roi_run, NULL},
    [HY_OP_RSQRT] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_SELECT] = {0, hy_cpu_select_resolve, hy_cpu_select_run, NULL},
    [HY_OP_SIN] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_SLICE] = {0, hy_cpu_slice_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_SOFTMAX] = {0, hy_cpu_softmax_resolve, hy_cpu_softmax_run, NULL},
    [HY_OP_SPACE_TO_BATCH_ND] = {0, hy_cpu_space_to_batch_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_SPACE_TO_DEPTH] = {0, hy_cpu_space_to_depth_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_SPLIT] = {0, hy_cpu_split_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_SQRT] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_SQUEEZE] = {HY_CPU_OP_CAN_ALIAS, hy_cpu_reshape_resolve, hy_cpu_reshape_run, NULL},
    [HY_OP_STRIDED_SLICE] = {0, hy_cpu_strided_slice_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_SUB] = {0, hy_cpu_binary_resolve, hy_cpu_binary_run, &hy_cpu_binary_banded},
    [HY_OP_SVDF] = {0, hy_cpu_svdf_resolve, hy_cpu_svdf_run, NULL},
    [HY_OP_TANH] = {0, hy_cpu_unary_resolve, hy_cpu_unary_run, &hy_cpu_unary_banded},
    [HY_OP_TILE] = {0, hy_cpu_tile_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_TOPK_V2] = {0, hy_cpu_top_k_resolve, hy_cpu_top_k_run, NULL},
    [HY_OP_TRANSPOSE] = {0, hy_cpu_transpose_resolve, hy_cpu_moves_run, NULL},
    [HY_OP_TRANSPOSE_CONV_2D] = {FILTER_AND_BIAS, hy_cpu_transpose_conv_2d_resolve, hy_cpu_conv_run,
                                 NULL},
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM] = {LSTM_CELL(1), hy_cpu_lstm_resolve, hy_cpu_lstm_run,
                                            NULL},
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN] = {RNN_CELL(1), hy_cpu_rnn_resolve, hy_cpu_rnn_run, NULL},
};

#define OP_COUNT ((int32_t)(sizeof ops / sizeof ops[0]))

const struct hy_cpu_op *hy_cpu_op_find(int32_t operation)
{
    if (operation < 0 || operation >= OP_COUNT || !ops[operation].resolve)
        return NULL;
    return &ops[operation];
}

enum hy_element hy_cpu_element(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return HY_ELEMENT_F32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return HY_ELEMENT_F16;
    case ANEURALNETWORKS_TENSOR_INT32:
        return HY_ELEMENT_I32;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return HY_ELEMENT_U8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return HY_ELEMENT_S8;
    case ANEURALNETWORKS_TENSOR_BOOL8:
        return HY_ELEMENT_BOOL;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return HY_ELEMENT_S16;
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        return HY_ELEMENT_U16;
    default:
        return HY_ELEMENT_COUNT;
    }
}

/* Work that threads share, all for one call. */
struct shared {
    struct hy_stop *stop;
    void (*task)(void *argument, uint32_t index);
    void *argument;
};

/* On any thread: it may be another call's between two tasks. */
static void run_shared(void *argument, uint32_t index)
{
    const struct shared *shared = argument;
    const struct hy_cpu_entry before = hy_cpu_enter(shared->stop);

    shared->task(shared->argument, index);
    hy_cpu_leave(before);
}

void hy_cpu_share(const struct hy_cpu_work *work, uint32_t count,
                  void (*task)(void *argument, uint32_t index), void *argument)
{
    if (count > 1 && !work->is_alone) {
        struct shared shared = {hy_stop_here()->stop, task, argument};
        work->host->parallel(work->host->context, count, run_shared, &shared);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

bool hy_cpu_scratch_take(size_t *total, size_t bytes, size_t *offset)
{
    size_t rounded, sum;

    if (!hy_round_up_size(bytes, HY_KERNEL_ALIGNMENT, &rounded) ||
        !hy_add_size(*total, rounded, &sum))
        return false;
    *offset = *total;
    *total = sum;
    return true;
}
