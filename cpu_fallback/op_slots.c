#include "cpu_fallback/op_slots.h"

#include <string.h>

#include "common/operation.h"

#define SLOTS(member) \
    { \
        offsetof(struct hy_kernel_table, member), sizeof(((struct hy_kernel_table *)0)->member) \
    }

/* From one member of the table to a later one. */
#define SLOTS_TO(first, last) \
    { \
        offsetof(struct hy_kernel_table, first), offsetof(struct hy_kernel_table, last) - \
                                                     offsetof(struct hy_kernel_table, first) + \
                                                     sizeof(((struct hy_kernel_table *)0)->last) \
    }

#define BINARY(op) SLOTS(binary[HY_BINARY_##op])
#define UNARY(op)  SLOTS(unary[HY_UNARY_##op])

static const struct hy_kernel_slots slots[HY_OP_COUNT] = {
    [HY_OP_ABS] = UNARY(ABS),
    [HY_OP_ADD] = BINARY(ADD),
    [HY_OP_ARGMAX] = SLOTS(arg_extreme[HY_ARG_MAX]),
    [HY_OP_ARGMIN] = SLOTS(arg_extreme[HY_ARG_MIN]),
    [HY_OP_AVERAGE_POOL_2D] = SLOTS(pool[HY_POOLING_AVERAGE]),
    [HY_OP_BATCH_MATMUL] = SLOTS(conv), /* its panels */
    [HY_OP_BATCH_TO_SPACE_ND] = SLOTS(move),
    [HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM] = SLOTS(lstm_row),
    [HY_OP_BIDIRECTIONAL_SEQUENCE_RNN] = SLOTS(matvec),
    [HY_OP_CAST] = SLOTS(cast),
    [HY_OP_CHANNEL_SHUFFLE] = SLOTS(move),
    [HY_OP_CONV_2D] = SLOTS_TO(conv, winograd_conv),
    [HY_OP_DEPTHWISE_CONV_2D] = SLOTS(depthwise_conv),
    [HY_OP_DEPTH_TO_SPACE] = SLOTS(move),
    [HY_OP_DEQUANTIZE] = SLOTS(dequantize),
    [HY_OP_DIV] = BINARY(DIV),
    [HY_OP_ELU] = UNARY(ELU),
    [HY_OP_EQUAL] = BINARY(EQUAL),
    [HY_OP_EXP] = UNARY(EXP),
    [HY_OP_FILL] = SLOTS(move),
    [HY_OP_FLOOR] = UNARY(FLOOR),
    [HY_OP_FULLY_CONNECTED] = SLOTS(conv),
    [HY_OP_GREATER] = BINARY(GREATER),
    [HY_OP_GREATER_EQUAL] = BINARY(GREATER_EQUAL),
    [HY_OP_GROUPED_CONV_2D] = SLOTS(grouped_conv),
    [HY_OP_HARD_SWISH] = UNARY(HARD_SWISH),
    [HY_OP_INSTANCE_NORMALIZATION] = SLOTS(normalise[HY_NORMALISE_INSTANCE]),
    [HY_OP_L2_NORMALIZATION] = SLOTS(normalise[HY_NORMALISE_L2]),
    [HY_OP_L2_POOL_2D] = SLOTS(pool[HY_POOLING_L2]),
    [HY_OP_LESS] = BINARY(LESS),
    [HY_OP_LESS_EQUAL] = BINARY(LESS_EQUAL),
    [HY_OP_LOCAL_RESPONSE_NORMALIZATION] = SLOTS(normalise[HY_NORMALISE_LOCAL]),
    [HY_OP_LOG] = UNARY(LOG),
    [HY_OP_LOGICAL_AND] = BINARY(AND),
    [HY_OP_LOGICAL_NOT] = UNARY(NOT),
    [HY_OP_LOGICAL_OR] = BINARY(OR),
    [HY_OP_LOGISTIC] = UNARY(LOGISTIC),
    [HY_OP_LOG_SOFTMAX] = SLOTS(log_softmax),
    [HY_OP_LSTM] = SLOTS(lstm_row),
    [HY_OP_MAXIMUM] = BINARY(MAXIMUM),
    [HY_OP_MAX_POOL_2D] = SLOTS(pool[HY_POOLING_MAX]),
    [HY_OP_MEAN] = SLOTS_TO(reduce[HY_REDUCE_MEAN], reduce[HY_REDUCE_MEAN_RESCALED]),
    [HY_OP_MINIMUM] = BINARY(MINIMUM),
    [HY_OP_MIRROR_PAD] = SLOTS(move),
    [HY_OP_MUL] = BINARY(MUL),
    [HY_OP_NEG] = UNARY(NEG),
    [HY_OP_NOT_EQUAL] = BINARY(NOT_EQUAL),
    [HY_OP_PACK] = SLOTS(move),
    [HY_OP_PAD] = SLOTS(move),
    [HY_OP_PAD_V2] = SLOTS(move),
    [HY_OP_POW] = BINARY(POW),
    [HY_OP_PRELU] = BINARY(PRELU),
    [HY_OP_QUANTIZE] = SLOTS(quantize),
    [HY_OP_RANDOM_MULTINOMIAL] = SLOTS(random_multinomial),
    [HY_OP_REDUCE_ALL] = SLOTS(reduce[HY_REDUCE_ALL]),
    [HY_OP_REDUCE_ANY] = SLOTS(reduce[HY_REDUCE_ANY]),
    [HY_OP_REDUCE_MAX] = SLOTS(reduce[HY_REDUCE_MAX]),
    [HY_OP_REDUCE_MIN] = SLOTS(reduce[HY_REDUCE_MIN]),
    [HY_OP_REDUCE_PROD] = SLOTS(reduce[HY_REDUCE_PROD]),
    [HY_OP_REDUCE_SUM] = SLOTS(reduce[HY_REDUCE_SUM]),
    [HY_OP_RELU] = UNARY(CLAMP),
    [HY_OP_RELU1] = UNARY(CLAMP),
    [HY_OP_RELU6] = UNARY(CLAMP),
    [HY_OP_RESIZE_BILINEAR] = SLOTS(resize_bilinear),
    [HY_OP_RESIZE_NEAREST_NEIGHBOR] = SLOTS(resize_nearest),
    [HY_OP_REVERSE] = SLOTS(move),
    [HY_OP_RNN] = SLOTS(matvec),
    [HY_OP_ROI_ALIGN] = SLOTS(roi[HY_ROI_ALIGN]),
    [HY_OP_ROI_POOLING] = SLOTS(roi[HY_ROI_POOLING]),
    [HY_OP_RSQRT] = UNARY(RSQRT),
    [HY_OP_SELECT] = SLOTS(select),
    [HY_OP_SIN] = UNARY(SIN),
    [HY_OP_SLICE] = SLOTS(move),
    [HY_OP_SOFTMAX] = SLOTS(softmax),
    [HY_OP_SPACE_TO_BATCH_ND] = SLOTS(move),
    [HY_OP_SPACE_TO_DEPTH] = SLOTS(move),
    [HY_OP_SPLIT] = SLOTS(move),
    [HY_OP_SQRT] = UNARY(SQRT),
    [HY_OP_STRIDED_SLICE] = SLOTS(move),
    [HY_OP_SUB] = BINARY(SUB),
    [HY_OP_SVDF] = SLOTS(matvec),
    [HY_OP_TANH] = UNARY(TANH),
    [HY_OP_TILE] = SLOTS(move),
    [HY_OP_TOPK_V2] = SLOTS(top_k),
    [HY_OP_TRANSPOSE] = SLOTS(move),
    [HY_OP_TRANSPOSE_CONV_2D] = SLOTS(transpose_conv),
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM] = SLOTS(lstm_row),
    [HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN] = SLOTS(matvec),
};

struct hy_kernel_slots hy_cpu_op_slots(int32_t operation)
{
    if (operation < 0 || operation >= HY_OP_COUNT)
        return (struct hy_kernel_slots){0};
    return slots[operation];
}

bool hy_cpu_op_is_fast(int32_t operation, const struct hy_kernel_table *kernels)
{
    const struct hy_kernel_slots place = hy_cpu_op_slots(operation);
    const char *own = (const char *)kernels;
    const char *reference = (const char *)hy_kernels_reference();

    return memcmp(own + place.offset, reference + place.offset, place.size) != 0;
}
