#include "libhalyard/tflite/tflite_node.h"

#include "libhalyard/tflite/tflite_foreign.h"

/* ---- Enums of the schema --------------------------------------------------------------------- */

static enum hy_padding padding_of(int32_t padding)
{
    return padding == HY_TFLITE_PADDING_SAME ? HY_PADDING_SAME : HY_PADDING_VALID;
}

static enum hy_activation activation_of(int32_t activation)
{
    static const enum hy_activation activations[] = {
        [HY_TFLITE_ACTIVATION_NONE] = HY_ACTIVATION_NONE,
        [HY_TFLITE_ACTIVATION_RELU] = HY_ACTIVATION_RELU,
        [HY_TFLITE_ACTIVATION_RELU_N1_TO_1] = HY_ACTIVATION_RELU1,
        [HY_TFLITE_ACTIVATION_RELU6] = HY_ACTIVATION_RELU6,
        [HY_TFLITE_ACTIVATION_TANH] = HY_ACTIVATION_TANH,
        [HY_TFLITE_ACTIVATION_SIGN_BIT] = HY_ACTIVATION_SIGN_BIT,
    };
    return activations[activation];
}

/* ---- Attributes, one function per kind of options -------------------------------------------- */

static void add(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->binary.activation = activation_of(from->add.activation);
}

static void sub(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->binary.activation = activation_of(from->sub.activation);
}

static void mul(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->binary.activation = activation_of(from->mul.activation);
}

static void div_(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->binary.activation = activation_of(from->div.activation);
}

static void l2_norm(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->binary.activation = activation_of(from->l2_norm.activation);
}

static void conv_2d(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->conv = (struct hy_attributes_conv){
        .padding = padding_of(from->conv_2d.padding),
        .stride_width = from->conv_2d.stride_w,
        .stride_height = from->conv_2d.stride_h,
        .dilation_width = from->conv_2d.dilation_w,
        .dilation_height = from->conv_2d.dilation_h,
        .activation = activation_of(from->conv_2d.activation),
    };
}

/* Files often leave the depth multiplier at 0: the shapes determine the multiplier. */
static void depthwise_conv_2d(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->conv = (struct hy_attributes_conv){
        .padding = padding_of(from->depthwise_conv_2d.padding),
        .stride_width = from->depthwise_conv_2d.stride_w,
        .stride_height = from->depthwise_conv_2d.stride_h,
        .dilation_width = from->depthwise_conv_2d.dilation_w,
        .dilation_height = from->depthwise_conv_2d.dilation_h,
        .activation = activation_of(from->depthwise_conv_2d.activation),
    };
}

static void transpose_conv(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->conv = (struct hy_attributes_conv){
        .padding = padding_of(from->transpose_conv.padding),
        .stride_width = from->transpose_conv.stride_w,
        .stride_height = from->transpose_conv.stride_h,
        .dilation_width = 1,
        .dilation_height = 1,
        .activation = activation_of(from->transpose_conv.activation),
    };
}

static void conv_3d(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->conv_3d = (struct hy_attributes_conv_3d){
        .padding = padding_of(from->conv_3d.padding),
        .strides = {from->conv_3d.stride_d, from->conv_3d.stride_h, from->conv_3d.stride_w},
        .dilations = {from->conv_3d.dilation_d, from->conv_3d.dilation_h, from->conv_3d.dilation_w},
        .activation = activation_of(from->conv_3d.activation),
    };
}

static void pool_2d(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->pool = (struct hy_attributes_pool){
        .padding = padding_of(from->pool_2d.padding),
        .stride_width = from->pool_2d.stride_w,
        .stride_height = from->pool_2d.stride_h,
        .filter_width = from->pool_2d.filter_w,
        .filter_height = from->pool_2d.filter_h,
        .activation = activation_of(from->pool_2d.activation),
    };
}

static void batch_matmul(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->matmul.adjoint_a = from->batch_matmul.adj_x;
    to->matmul.adjoint_b = from->batch_matmul.adj_y;
}

static void fully_connected(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->fully_connected = (struct hy_attributes_fully_connected){
        .activation = activation_of(from->fully_connected.activation),
        .keep_dimensions = from->fully_connected.keep_num_dims,
        .shuffled = from->fully_connected.weights_format != 0,
    };
}

static void concatenation(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->axis.axis = from->concatenation.axis;
    to->axis.activation = activation_of(from->concatenation.activation);
}

static void one_hot(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->axis.axis = from->one_hot.axis;
}

static void pack(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->axis.axis = from->pack.axis;
}

static void gather(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->gather.axis = from->gather.axis;
    to->gather.batch_dimensions = from->gather.batch_dims;
}

static void cumsum(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->cumsum.exclusive = from->cumsum.exclusive;
    to->cumsum.reverse = from->cumsum.reverse;
}

static void fake_quant(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->fake_quant = (struct hy_attributes_fake_quant){
        .low = from->fake_quant.min,
        .high = from->fake_quant.max,
        .bits = from->fake_quant.num_bits,
        .narrow_range = from->fake_quant.narrow_range,
    };
}

static void embedding_lookup_sparse(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->combiner.combiner = from->embedding_lookup_sparse.combiner;
}

static void lsh_projection(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->projection.is_dense = from->lsh_projection.type == HY_TFLITE_LSH_DENSE;
}

static void gelu(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->gelu.approximate = from->gelu.approximate;
}

static void bucketize(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->bucketize.count = from->bucketize.boundaries.count;
    to->bucketize.boundaries = from->bucketize.boundaries.values;
}

static void random_(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->random.seeds[0] = from->random.seed;
    to->random.seeds[1] = from->random.seed2;
}

/* 0 in the file is no function. */
static void reduce_window(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->window.function = from->reduce_window.function > 0 ? from->reduce_window.function - 1 : -1;
}

static void depth_to_space(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->block.size = from->depth_to_space.block_size;
}

static void space_to_depth(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->block.size = from->space_to_depth.block_size;
}

static void leaky_relu(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->leaky_relu.alpha = from->leaky_relu.alpha;
}

static void unpack(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->axis.axis = from->unpack.axis;
}

static void local_response(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->local_response = (struct hy_attributes_local_response){
        .radius = from->local_response_normalization.radius,
        .bias = from->local_response_normalization.bias,
        .alpha = from->local_response_normalization.alpha,
        .beta = from->local_response_normalization.beta,
    };
}

static void mirror_pad(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->mirror.symmetric = from->mirror_pad.mode != 0;
}

static void reducer(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->reduce.keep_dimensions = from->reducer.keep_dims;
}

static void reshape(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->reshape.count = (int32_t)from->reshape.new_shape.count;
    to->reshape.extents = from->reshape.new_shape.values;
}

static void resize_bilinear(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->resize.align_corners = from->resize_bilinear.align_corners;
    to->resize.half_pixel_centers = from->resize_bilinear.half_pixel_centers;
}

static void resize_nearest_neighbor(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->resize.align_corners = from->resize_nearest_neighbor.align_corners;
    to->resize.half_pixel_centers = from->resize_nearest_neighbor.half_pixel_centers;
}

static void reverse_sequence(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->sequence.time_axis = from->reverse_sequence.seq_dim;
    to->sequence.batch_axis = from->reverse_sequence.batch_dim;
}

static void softmax(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->softmax.beta = from->softmax.beta;
}

static void split(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->split.count = from->split.num_splits;
}

static void squeeze(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->squeeze.count = from->squeeze.squeeze_dims.count;
    to->squeeze.axes = from->squeeze.squeeze_dims.values;
}

static void strided_slice(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->strided_slice = (struct hy_attributes_strided_slice){
        .begin_mask = from->strided_slice.begin_mask,
        .end_mask = from->strided_slice.end_mask,
        .ellipsis_mask = from->strided_slice.ellipsis_mask,
        .new_axis_mask = from->strided_slice.new_axis_mask,
        .shrink_axis_mask = from->strided_slice.shrink_axis_mask,
        .end_is_offset = from->strided_slice.offset,
    };
}

static void lstm(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->lstm = (struct hy_attributes_lstm){
        .activation = activation_of(from->lstm.activation),
        .cell_clip = from->lstm.cell_clip,
        .projection_clip = from->lstm.proj_clip,
        .is_basic = from->lstm.kernel_type == HY_TFLITE_LSTM_BASIC,
    };
}

static void sequence_lstm(const struct hy_tflite_options *from, union hy_attributes *to)
{
    const struct hy_tflite_unidirectional_sequence_lstm_options *options =
        &from->unidirectional_sequence_lstm;
    to->lstm = (struct hy_attributes_lstm){
        .activation = activation_of(options->activation),
        .cell_clip = options->cell_clip,
        .projection_clip = options->proj_clip,
        .time_major = options->time_major,
        .diagonal_recurrent = options->diagonal_recurrent_tensors,
    };
}

static void bidirectional_lstm(const struct hy_tflite_options *from, union hy_attributes *to)
{
    const struct hy_tflite_bidirectional_sequence_lstm_options *options =
        &from->bidirectional_sequence_lstm;
    to->lstm = (struct hy_attributes_lstm){
        .activation = activation_of(options->activation),
        .cell_clip = options->cell_clip,
        .projection_clip = options->proj_clip,
        .time_major = options->time_major,
        .merge_outputs = options->merge_outputs,
    };
}

static void rnn(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->rnn.activation = activation_of(from->rnn.activation);
}

static void sequence_rnn(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->rnn.activation = activation_of(from->sequence_rnn.activation);
    to->rnn.time_major = from->sequence_rnn.time_major;
}

static void bidirectional_rnn(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->rnn.activation = activation_of(from->bidirectional_sequence_rnn.activation);
    to->rnn.time_major = from->bidirectional_sequence_rnn.time_major;
    to->rnn.merge_outputs = from->bidirectional_sequence_rnn.merge_outputs;
}

static void svdf(const struct hy_tflite_options *from, union hy_attributes *to)
{
    to->svdf.rank = from->svdf.rank;
    to->svdf.activation = activation_of(from->svdf.activation);
}

/* ---- The table ------------------------------------------------------------------------------- */

struct row {
    bool known;
    enum hy_operator operator_;
    void (*attributes)(const struct hy_tflite_options *from, union hy_attributes *to);
};

#define ROW(FILE_NAME, NAME, translate) \
    [HY_TFLITE_OP_##FILE_NAME] = {true, HY_OPERATOR_##NAME, translate}

static const struct row rows[HY_TFLITE_OP_COUNT] = {
    ROW(ABS, ABS, NULL),
    ROW(ADD, ADD, add),
    ROW(ADD_N, ADD_N, NULL),
    ROW(ARG_MAX, ARG_MAX, NULL),
    ROW(ARG_MIN, ARG_MIN, NULL),
    ROW(ATAN2, ATAN2, NULL),
    ROW(AVERAGE_POOL_2D, AVERAGE_POOL_2D, pool_2d),
    ROW(BATCH_MATMUL, BATCH_MATMUL, batch_matmul),
    ROW(BATCH_TO_SPACE_ND, BATCH_TO_SPACE_ND, NULL),
    ROW(BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_LSTM, bidirectional_lstm),
    ROW(BIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN, bidirectional_rnn),
    ROW(BITCAST, BITCAST, NULL),
    ROW(BITWISE_XOR, BITWISE_XOR, NULL),
    ROW(BROADCAST_ARGS, BROADCAST_ARGS, NULL),
    ROW(BROADCAST_TO, BROADCAST_TO, NULL),
    ROW(BUCKETIZE, BUCKETIZE, bucketize),
    ROW(CAST, CAST, NULL),
    ROW(CEIL, CEIL, NULL),
    ROW(COMPLEX_ABS, COMPLEX_ABS, NULL),
    ROW(CONCATENATION, CONCATENATION, concatenation),
    ROW(CONV_2D, CONV_2D, conv_2d),
    ROW(CONV_3D, CONV_3D, conv_3d),
    ROW(CONV_3D_TRANSPOSE, TRANSPOSE_CONV_3D, conv_3d),
    ROW(COS, COS, NULL),
    ROW(CUMSUM, CUMSUM, cumsum),
    ROW(DENSIFY, DENSIFY, NULL),
    ROW(DEPTHWISE_CONV_2D, DEPTHWISE_CONV_2D, depthwise_conv_2d),
    ROW(DEPTH_TO_SPACE, DEPTH_TO_SPACE, depth_to_space),
    ROW(DEQUANTIZE, DEQUANTIZE, NULL),
    ROW(DILATE, DILATE, NULL),
    ROW(DIV, DIV, div_),
    ROW(DYNAMIC_UPDATE_SLICE, DYNAMIC_UPDATE_SLICE, NULL),
    ROW(ELU, ELU, NULL),
    ROW(EMBEDDING_LOOKUP, EMBEDDING_LOOKUP, NULL),
    ROW(EMBEDDING_LOOKUP_SPARSE, EMBEDDING_LOOKUP_SPARSE, embedding_lookup_sparse),
    ROW(EQUAL, EQUAL, NULL),
    ROW(EXP, EXP, NULL),
    ROW(EXPAND_DIMS, EXPAND_DIMS, NULL),
    ROW(FAKE_QUANT, FAKE_QUANT, fake_quant),
    ROW(FILL, FILL, NULL),
    ROW(FLOOR, FLOOR, NULL),
    ROW(FLOOR_DIV, FLOOR_DIV, NULL),
    ROW(FLOOR_MOD, FLOOR_MOD, NULL),
    ROW(FULLY_CONNECTED, FULLY_CONNECTED, fully_connected),
    ROW(GATHER, GATHER, gather),
    ROW(GATHER_ND, GATHER_ND, NULL),
    ROW(GELU, GELU, gelu),
    ROW(GREATER, GREATER, NULL),
    ROW(GREATER_EQUAL, GREATER_EQUAL, NULL),
    ROW(HARD_SWISH, HARD_SWISH, NULL),
    ROW(HASHTABLE_LOOKUP, HASHTABLE_LOOKUP, NULL),
    ROW(IMAG, IMAG, NULL),
    ROW(L2_NORMALIZATION, L2_NORMALIZATION, l2_norm),
    ROW(L2_POOL_2D, L2_POOL_2D, pool_2d),
    ROW(LESS, LESS, NULL),
    ROW(LESS_EQUAL, LESS_EQUAL, NULL),
    ROW(LEAKY_RELU, LEAKY_RELU, leaky_relu),
    ROW(LOCAL_RESPONSE_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION, local_response),
    ROW(LOG, LOG, NULL),
    ROW(LOGICAL_AND, LOGICAL_AND, NULL),
    ROW(LOGICAL_NOT, LOGICAL_NOT, NULL),
    ROW(LOGICAL_OR, LOGICAL_OR, NULL),
    ROW(LOGISTIC, LOGISTIC, NULL),
    ROW(LOG_SOFTMAX, LOG_SOFTMAX, NULL),
    ROW(LSH_PROJECTION, LSH_PROJECTION, lsh_projection),
    ROW(LSTM, LSTM, lstm),
    ROW(MATRIX_DIAG, MATRIX_DIAG, NULL),
    ROW(MATRIX_SET_DIAG, MATRIX_SET_DIAG, NULL),
    ROW(MAX_POOL_2D, MAX_POOL_2D, pool_2d),
    ROW(MAXIMUM, MAXIMUM, NULL),
    ROW(MEAN, MEAN, reducer),
    ROW(MINIMUM, MINIMUM, NULL),
    ROW(MIRROR_PAD, MIRROR_PAD, mirror_pad),
    ROW(MUL, MUL, mul),
    ROW(MULTINOMIAL, MULTINOMIAL, random_),
    ROW(NEG, NEG, NULL),
    ROW(NON_MAX_SUPPRESSION_V4, NON_MAX_SUPPRESSION_V4, NULL),
    ROW(NON_MAX_SUPPRESSION_V5, NON_MAX_SUPPRESSION_V5, NULL),
    ROW(NOT_EQUAL, NOT_EQUAL, NULL),
    ROW(ONE_HOT, ONE_HOT, one_hot),
    ROW(PACK, PACK, pack),
    ROW(PAD, PAD, NULL),
    ROW(PADV2, PAD_V2, NULL),
    ROW(POW, POW, NULL),
    ROW(PRELU, PRELU, NULL),
    ROW(QUANTIZE, QUANTIZE, NULL),
    ROW(RANDOM_STANDARD_NORMAL, RANDOM_STANDARD_NORMAL, random_),
    ROW(RANDOM_UNIFORM, RANDOM_UNIFORM, random_),
    ROW(RANGE, RANGE, NULL),
    ROW(RANK, RANK, NULL),
    ROW(REAL, REAL, NULL),
    ROW(REDUCE_ALL, REDUCE_ALL, reducer),
    ROW(REDUCE_ANY, REDUCE_ANY, reducer),
    ROW(REDUCE_MAX, REDUCE_MAX, reducer),
    ROW(REDUCE_MIN, REDUCE_MIN, reducer),
    ROW(REDUCE_PROD, REDUCE_PROD, reducer),
    ROW(REDUCE_WINDOW, REDUCE_WINDOW, reduce_window),
    ROW(RELU, RELU, NULL),
    ROW(RELU6, RELU6, NULL),
    ROW(RELU_0_TO_1, RELU_0_TO_1, NULL),
    ROW(RELU_N1_TO_1, RELU1, NULL),
    ROW(RESHAPE, RESHAPE, reshape),
    ROW(RESIZE_BILINEAR, RESIZE_BILINEAR, resize_bilinear),
    ROW(RESIZE_NEAREST_NEIGHBOR, RESIZE_NEAREST_NEIGHBOR, resize_nearest_neighbor),
    ROW(REVERSE_SEQUENCE, REVERSE_SEQUENCE, reverse_sequence),
    ROW(REVERSE_V2, REVERSE, NULL),
    ROW(RFFT2D, RFFT_2D, NULL),
    ROW(RIGHT_SHIFT, RIGHT_SHIFT, NULL),
    ROW(RNN, RNN, rnn),
    ROW(ROUND, ROUND, NULL),
    ROW(RSQRT, RSQRT, NULL),
    ROW(SCATTER_ND, SCATTER_ND, NULL),
    ROW(SEGMENT_SUM, SEGMENT_SUM, NULL),
    ROW(SELECT, SELECT, NULL),
    ROW(SELECT_V2, SELECT_V2, NULL),
    ROW(SHAPE, SHAPE, NULL),
    ROW(SIGN, SIGN, NULL),
    ROW(SIN, SIN, NULL),
    ROW(SLICE, SLICE, NULL),
    ROW(SOFTMAX, SOFTMAX, softmax),
    ROW(SPACE_TO_BATCH_ND, SPACE_TO_BATCH_ND, NULL),
    ROW(SPACE_TO_DEPTH, SPACE_TO_DEPTH, space_to_depth),
    ROW(SPARSE_TO_DENSE, SPARSE_TO_DENSE, NULL),
    ROW(SPLIT, SPLIT, split),
    ROW(SPLIT_V, SPLIT_V, NULL),
    ROW(SQRT, SQRT, NULL),
    ROW(SQUARE, SQUARE, NULL),
    ROW(SQUARED_DIFFERENCE, SQUARED_DIFFERENCE, NULL),
    ROW(SQUEEZE, SQUEEZE, squeeze),
    ROW(STRIDED_SLICE, STRIDED_SLICE, strided_slice),
    ROW(SUB, SUB, sub),
    ROW(SUM, SUM, reducer),
    ROW(SVDF, SVDF, svdf),
    ROW(TANH, TANH, NULL),
    ROW(TILE, TILE, NULL),
    ROW(TOPK_V2, TOPK_V2, NULL),
    ROW(TRANSPOSE, TRANSPOSE, NULL),
    ROW(TRANSPOSE_CONV, TRANSPOSE_CONV_2D, transpose_conv),
    ROW(UNIDIRECTIONAL_SEQUENCE_LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, sequence_lstm),
    ROW(UNIDIRECTIONAL_SEQUENCE_RNN, UNIDIRECTIONAL_SEQUENCE_RNN, sequence_rnn),
    ROW(UNIQUE, UNIQUE, NULL),
    ROW(UNPACK, UNPACK, unpack),
    ROW(UNSORTED_SEGMENT_MAX, UNSORTED_SEGMENT_MAX, NULL),
    ROW(UNSORTED_SEGMENT_MIN, UNSORTED_SEGMENT_MIN, NULL),
    ROW(UNSORTED_SEGMENT_PROD, UNSORTED_SEGMENT_PROD, NULL),
    ROW(UNSORTED_SEGMENT_SUM, UNSORTED_SEGMENT_SUM, NULL),
    ROW(WHERE, WHERE, NULL),
    ROW(ZEROS_LIKE, ZEROS_LIKE, NULL),
};

void hy_tflite_node_meaning(const struct hy_tflite_operator *operator_, struct hy_graph_node *node)
{
    const struct row *row = &rows[operator_->code];
    if (!row->known) {
        node->operator_ = HY_OPERATOR_FOREIGN;
        node->attributes.foreign = (struct hy_attributes_foreign){
            .name = node->operator_name, .reason = hy_tflite_foreign_reason(operator_->code, NULL)};
        return;
    }
    node->operator_ = row->operator_;
    if (row->attributes)
        row->attributes(&operator_->options, &node->attributes);
}
