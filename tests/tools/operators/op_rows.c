#include "tests/tools/operators/op_draft.h"

#define F (1u << HY_TFLITE_FLOAT32)
#define I (1u << HY_TFLITE_INT32)
#define U (1u << HY_TFLITE_UINT8)
#define S (1u << HY_TFLITE_INT8)
#define B (1u << HY_TFLITE_BOOL)
#define Q (U | S)

/* Types are those that have an NNAPI form. */
const struct hy_op_row hy_op_rows[] = {
    {HY_TFLITE_OP_ABS, F | S, hy_op_unary_scaled, 0, 0},
    {HY_TFLITE_OP_ADD, F | I | Q, hy_op_arithmetic, 0, 0},
    {HY_TFLITE_OP_ARG_MAX, F | I | Q, hy_op_arg, 0, 0},
    {HY_TFLITE_OP_ARG_MIN, F | I | Q, hy_op_arg, 0, 0},
    {HY_TFLITE_OP_AVERAGE_POOL_2D, F | Q, hy_op_pool, 0, 0},
    {HY_TFLITE_OP_BATCH_MATMUL, F | S, hy_op_batch_matmul, 0, 0},
    {HY_TFLITE_OP_BATCH_TO_SPACE_ND, F | I | Q, hy_op_batch_to_space, 0, 0},
    {HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_LSTM, F, hy_op_bidirectional_lstm, -1.0f, 1.0f},
    {HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_RNN, F, hy_op_bidirectional_rnn, -1.0f, 1.0f},
    {HY_TFLITE_OP_BROADCAST_TO, F | I | Q | B, hy_op_broadcast_to, 0, 0},
    {HY_TFLITE_OP_CAST, F | I | U | B, hy_op_cast, 0, 0},
    {HY_TFLITE_OP_CEIL, F, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_CONCATENATION, F | I | Q | B, hy_op_concatenation, 0, 0},
    {HY_TFLITE_OP_CONV_2D, F | Q, hy_op_conv, 0, 0},
    {HY_TFLITE_OP_COS, F, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_DEPTH_TO_SPACE, F | I | Q, hy_op_depth_to_space, 0, 0},
    {HY_TFLITE_OP_DEPTHWISE_CONV_2D, F | Q, hy_op_depthwise_conv, 0, 0},
    {HY_TFLITE_OP_DEQUANTIZE, Q, hy_op_dequantize, 0, 0},
    {HY_TFLITE_OP_DIV, F | I, hy_op_arithmetic, 0, 0},
    {HY_TFLITE_OP_DYNAMIC_UPDATE_SLICE, F | I | S, hy_op_dynamic_update_slice, 0, 0},
    {HY_TFLITE_OP_ELU, F | S, hy_op_unary_scaled, 0, 0},
    {HY_TFLITE_OP_EMBEDDING_LOOKUP, F | Q, hy_op_embedding_lookup, 0, 0},
    {HY_TFLITE_OP_EQUAL, F | I | Q | B, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_EXP, F | S, hy_op_unary_scaled, 0, 0},
    {HY_TFLITE_OP_EXPAND_DIMS, F | I | Q | B, hy_op_expand_dims, 0, 0},
    {HY_TFLITE_OP_FAKE_QUANT, F, hy_op_fake_quant, 0, 0},
    {HY_TFLITE_OP_FILL, F | I | B, hy_op_fill, 0, 0},
    {HY_TFLITE_OP_FLOOR, F, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_FLOOR_DIV, F | I, hy_op_floor_div, 0, 0},
    {HY_TFLITE_OP_FULLY_CONNECTED, F | Q, hy_op_fully_connected, 0, 0},
    {HY_TFLITE_OP_GATHER, F | I | Q | B, hy_op_gather, 0, 0},
    {HY_TFLITE_OP_GATHER_ND, F | I | Q, hy_op_gather_nd, 0, 0},
    {HY_TFLITE_OP_GELU, F | Q, hy_op_gelu, 0, 0},
    {HY_TFLITE_OP_GREATER, F | I | Q, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_GREATER_EQUAL, F | I | Q, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_HARD_SWISH, F | Q, hy_op_unary_scaled, 0, 0},
    {HY_TFLITE_OP_IF, F | I | Q, hy_op_if, 0, 0},
    {HY_TFLITE_OP_L2_NORMALIZATION, F | Q, hy_op_l2_normalization, 0, 0},
    {HY_TFLITE_OP_L2_POOL_2D, F, hy_op_pool, 0, 0},
    {HY_TFLITE_OP_LEAKY_RELU, F | Q, hy_op_leaky_relu, 0, 0},
    {HY_TFLITE_OP_LESS, F | I | Q, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_LESS_EQUAL, F | I | Q, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_LOCAL_RESPONSE_NORMALIZATION, F, hy_op_local_response_normalization, 0, 0},
    {HY_TFLITE_OP_LOG, F | S, hy_op_unary_scaled, 0.01f, 100.0f},
    {HY_TFLITE_OP_LOGICAL_AND, B, hy_op_logical, 0, 0},
    {HY_TFLITE_OP_LOGICAL_NOT, B, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_LOGICAL_OR, B, hy_op_logical, 0, 0},
    {HY_TFLITE_OP_LOGISTIC, F | Q, hy_op_unary_fixed, 0, 0},
    {HY_TFLITE_OP_LOG_SOFTMAX, F, hy_op_log_softmax, 0, 0},
    {HY_TFLITE_OP_LSTM, F | Q, hy_op_lstm, -1.0f, 1.0f},
    {HY_TFLITE_OP_MATRIX_DIAG, F | I | Q, hy_op_matrix_diag, 0, 0},
    {HY_TFLITE_OP_MATRIX_SET_DIAG, F | I | Q, hy_op_matrix_set_diag, 0, 0},
    {HY_TFLITE_OP_MAX_POOL_2D, F | Q, hy_op_pool, 0, 0},
    {HY_TFLITE_OP_MAXIMUM, F | I | Q, hy_op_binary, 0, 0},
    {HY_TFLITE_OP_MEAN, F | Q, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_MINIMUM, F | I | Q, hy_op_binary, 0, 0},
    {HY_TFLITE_OP_MIRROR_PAD, F | I | Q, hy_op_mirror_pad, 0, 0},
    {HY_TFLITE_OP_MUL, F | I | Q, hy_op_arithmetic, 0, 0},
    {HY_TFLITE_OP_NEG, F | I, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_NOT_EQUAL, F | I | Q | B, hy_op_compare, 0, 0},
    {HY_TFLITE_OP_ONE_HOT, F | I | Q | B, hy_op_one_hot, 0, 0},
    {HY_TFLITE_OP_PACK, F | I | Q, hy_op_pack, 0, 0},
    {HY_TFLITE_OP_PAD, F | I | Q, hy_op_pad, 0, 0},
    {HY_TFLITE_OP_PADV2, F | I | Q, hy_op_pad_v2, 0, 0},
    {HY_TFLITE_OP_POW, F, hy_op_binary, 0.1f, 10.0f},
    {HY_TFLITE_OP_PRELU, F | Q, hy_op_prelu, 0, 0},
    {HY_TFLITE_OP_QUANTIZE, Q, hy_op_quantize, 0, 0},
    {HY_TFLITE_OP_REDUCE_ALL, B, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_REDUCE_ANY, B, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_REDUCE_MAX, F | Q, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_REDUCE_MIN, F | Q, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_REDUCE_PROD, F, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_RELU, F | Q, hy_op_rectifier, 0, 0},
    {HY_TFLITE_OP_RELU6, F | Q, hy_op_rectifier, 0, 0},
    {HY_TFLITE_OP_RELU_0_TO_1, F | Q, hy_op_rectifier, 0, 0},
    {HY_TFLITE_OP_RELU_N1_TO_1, F | Q, hy_op_rectifier, 0, 0},
    {HY_TFLITE_OP_RESHAPE, F | I | Q | B, hy_op_reshape, 0, 0},
    {HY_TFLITE_OP_RESIZE_BILINEAR, F | Q, hy_op_resize, 0, 0},
    {HY_TFLITE_OP_RESIZE_NEAREST_NEIGHBOR, F | Q, hy_op_resize, 0, 0},
    {HY_TFLITE_OP_REVERSE_SEQUENCE, F | I | U, hy_op_reverse_sequence, 0, 0},
    {HY_TFLITE_OP_REVERSE_V2, F | I | U | B, hy_op_reverse, 0, 0},
    {HY_TFLITE_OP_RNN, F, hy_op_rnn, -1.0f, 1.0f},
    {HY_TFLITE_OP_ROUND, F, hy_op_round, 0, 0},
    {HY_TFLITE_OP_RSQRT, F | S, hy_op_rsqrt, 0.01f, 100.0f},
    {HY_TFLITE_OP_SCATTER_ND, F | I | Q, hy_op_scatter_nd, 0, 0},
    {HY_TFLITE_OP_SEGMENT_SUM, F | I, hy_op_segment_sum, 0, 0},
    {HY_TFLITE_OP_SELECT, F | I | Q | B, hy_op_select, 0, 0},
    {HY_TFLITE_OP_SELECT_V2, F | I | Q | B, hy_op_select_v2, 0, 0},
    {HY_TFLITE_OP_SIGN, F | I, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_SIN, F, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_SLICE, F | I | Q | B, hy_op_slice, 0, 0},
    {HY_TFLITE_OP_SOFTMAX, F | Q, hy_op_softmax, 0, 0},
    {HY_TFLITE_OP_SPACE_TO_BATCH_ND, F | I | Q, hy_op_space_to_batch, 0, 0},
    {HY_TFLITE_OP_SPACE_TO_DEPTH, F | I | Q, hy_op_space_to_depth, 0, 0},
    {HY_TFLITE_OP_SPARSE_TO_DENSE, F | I | Q, hy_op_sparse_to_dense, 0, 0},
    {HY_TFLITE_OP_SPLIT, F | I | Q, hy_op_split, 0, 0},
    {HY_TFLITE_OP_SPLIT_V, F | I | Q, hy_op_split_v, 0, 0},
    {HY_TFLITE_OP_SQRT, F, hy_op_unary, 0.0f, 100.0f},
    {HY_TFLITE_OP_SQUARE, F, hy_op_unary, 0, 0},
    {HY_TFLITE_OP_SQUARED_DIFFERENCE, F | I, hy_op_binary, 0, 0},
    {HY_TFLITE_OP_SQUEEZE, F | I | Q | B, hy_op_squeeze, 0, 0},
    {HY_TFLITE_OP_STRIDED_SLICE, F | I | Q | B, hy_op_strided_slice, 0, 0},
    {HY_TFLITE_OP_SUB, F | I | Q, hy_op_arithmetic, 0, 0},
    {HY_TFLITE_OP_SUM, F, hy_op_reduce, 0, 0},
    {HY_TFLITE_OP_SVDF, F | S, hy_op_svdf, -1.0f, 1.0f},
    {HY_TFLITE_OP_TANH, F | Q, hy_op_unary_fixed, 0, 0},
    {HY_TFLITE_OP_TILE, F | I | U | B, hy_op_tile, 0, 0},
    {HY_TFLITE_OP_TOPK_V2, F | I | Q, hy_op_topk, 0, 0},
    {HY_TFLITE_OP_TRANSPOSE, F | I | Q | B, hy_op_transpose, 0, 0},
    {HY_TFLITE_OP_TRANSPOSE_CONV, F | Q, hy_op_transpose_conv, 0, 0},
    {HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, F | S, hy_op_sequence_lstm, -1.0f, 1.0f},
    {HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN, F, hy_op_sequence_rnn, -1.0f, 1.0f},
    {HY_TFLITE_OP_UNPACK, F | I | Q | B, hy_op_unpack, 0, 0},
    {HY_TFLITE_OP_WHILE, F | I | Q, hy_op_while, 0, 0},
    {HY_TFLITE_OP_ZEROS_LIKE, F | I, hy_op_zeros_like, 0, 0},
};

static const struct {
    enum hy_tflite_op op;
    uint32_t types;
} newer[] = {
    {HY_TFLITE_OP_EXP, S},
    {HY_TFLITE_OP_LOG, S},
    {HY_TFLITE_OP_RELU_0_TO_1, F | Q},
    {HY_TFLITE_OP_SIGN, F | I},
};

uint32_t hy_op_newer_types(enum hy_tflite_op op)
{
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        if (newer[i].op == op)
            return newer[i].types;
    }
    return 0;
}

const size_t hy_op_row_count = sizeof hy_op_rows / sizeof *hy_op_rows;
