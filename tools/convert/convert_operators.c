/*
 * What each operator of a `.tflite` file is in NNAPI: one row in the table at the end; a function
 * where it is more than its inputs, in their order.
 */
#include "tools/convert/convert_operators.h"

#include "tools/convert/arguments.h"
#include "tools/convert/convert_recurrent.h"
#include "tools/convert/convert_weighted.h"

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static enum hy_code give_binary(struct hy_arguments *args, int32_t type, int32_t activation)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_activation(args, activation);
    return hy_give(args, type);
}

static enum hy_code add(struct hy_arguments *args)
{
    return give_binary(args, ANEURALNETWORKS_ADD, args->operator_->options.add.activation);
}

static enum hy_code sub(struct hy_arguments *args)
{
    return give_binary(args, ANEURALNETWORKS_SUB, args->operator_->options.sub.activation);
}

static enum hy_code mul(struct hy_arguments *args)
{
    return give_binary(args, ANEURALNETWORKS_MUL, args->operator_->options.mul.activation);
}

static enum hy_code div_(struct hy_arguments *args)
{
    return give_binary(args, ANEURALNETWORKS_DIV, args->operator_->options.div.activation);
}

static enum hy_code elu(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_float(args, 1.0f);
    return hy_give(args, ANEURALNETWORKS_ELU);
}

static enum hy_code softmax(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_float(args, args->operator_->options.softmax.beta);
    return hy_give(args, ANEURALNETWORKS_SOFTMAX);
}

static enum hy_code log_softmax(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_float(args, 1.0f);
    hy_take_int(args, -1);
    return hy_give(args, ANEURALNETWORKS_LOG_SOFTMAX);
}

static enum hy_code local_response_normalization(struct hy_arguments *args)
{
    const struct hy_tflite_local_response_normalization_options *options =
        &args->operator_->options.local_response_normalization;

    hy_take(args, 0);
    hy_take_int(args, options->radius);
    hy_take_float(args, options->bias);
    hy_take_float(args, options->alpha);
    hy_take_float(args, options->beta);
    return hy_give(args, ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION);
}

static enum hy_code l2_normalization(struct hy_arguments *args)
{
    hy_expect(args, args->operator_->options.l2_norm.activation == 0, "a fused activation");
    hy_take(args, 0);
    return hy_give(args, ANEURALNETWORKS_L2_NORMALIZATION);
}

static enum hy_code batch_matmul(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_bool(args, args->operator_->options.batch_matmul.adj_x);
    hy_take_bool(args, args->operator_->options.batch_matmul.adj_y);
    return hy_give(args, ANEURALNETWORKS_BATCH_MATMUL);
}

/* ---- Windows and images ---------------------------------------------------------------------- */

static enum hy_code give_pool(struct hy_arguments *args, int32_t type)
{
    const struct hy_tflite_pool_2d_options *options = &args->operator_->options.pool_2d;

    hy_take(args, 0);
    hy_take_padding(args, options->padding);
    hy_take_int(args, options->stride_w);
    hy_take_int(args, options->stride_h);
    hy_take_int(args, options->filter_w);
    hy_take_int(args, options->filter_h);
    hy_take_activation(args, options->activation);
    return hy_give(args, type);
}

static enum hy_code average_pool_2d(struct hy_arguments *args)
{
    return give_pool(args, ANEURALNETWORKS_AVERAGE_POOL_2D);
}

static enum hy_code l2_pool_2d(struct hy_arguments *args)
{
    return give_pool(args, ANEURALNETWORKS_L2_POOL_2D);
}

static enum hy_code max_pool_2d(struct hy_arguments *args)
{
    return give_pool(args, ANEURALNETWORKS_MAX_POOL_2D);
}

/* The size is that of the output: the constant in the file says the same. */
static enum hy_code give_resize(struct hy_arguments *args, int32_t type, bool align_corners,
                                bool half_pixel_centers)
{
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);

    hy_expect(args, args->code == HY_OK && output->rank == 4, "an image of this rank");
    if (args->code != HY_OK)
        return args->code;
    hy_take(args, 0);
    hy_take_int(args, output->dims[2]);
    hy_take_int(args, output->dims[1]);
    hy_take_bool(args, false); /* NHWC */
    hy_take_bool(args, align_corners);
    hy_take_bool(args, half_pixel_centers);
    return hy_give(args, type);
}

static enum hy_code resize_bilinear(struct hy_arguments *args)
{
    const struct hy_tflite_resize_bilinear_options *options =
        &args->operator_->options.resize_bilinear;
    return give_resize(args, ANEURALNETWORKS_RESIZE_BILINEAR, options->align_corners,
                       options->half_pixel_centers);
}

static enum hy_code resize_nearest_neighbor(struct hy_arguments *args)
{
    const struct hy_tflite_resize_nearest_neighbor_options *options =
        &args->operator_->options.resize_nearest_neighbor;
    return give_resize(args, ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, options->align_corners,
                       options->half_pixel_centers);
}

static enum hy_code depth_to_space(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_int(args, args->operator_->options.depth_to_space.block_size);
    return hy_give(args, ANEURALNETWORKS_DEPTH_TO_SPACE);
}

static enum hy_code space_to_depth(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_int(args, args->operator_->options.space_to_depth.block_size);
    return hy_give(args, ANEURALNETWORKS_SPACE_TO_DEPTH);
}

static bool is_zero(const struct hy_tflite_tensor *tensor)
{
    for (uint64_t i = 0; i < tensor->data_bytes; i++) {
        if (((const char *)tensor->data)[i] != 0)
            return false;
    }
    return tensor->data != NULL;
}

static enum hy_code batch_to_space_nd(struct hy_arguments *args)
{
    const struct hy_tflite_tensor *crops = hy_input_tensor(args, 2);

    hy_expect(args, args->code == HY_OK && is_zero(crops), "cropping");
    hy_take(args, 0);
    hy_take(args, 1);
    return hy_give(args, ANEURALNETWORKS_BATCH_TO_SPACE_ND);
}

/* ---- Movement -------------------------------------------------------------------------------- */

static enum hy_code concatenation(struct hy_arguments *args)
{
    const struct hy_tflite_concatenation_options *options = &args->operator_->options.concatenation;
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);

    hy_expect(args, options->activation == 0, "a fused activation");
    for (uint32_t i = 0; i < args->operator_->inputs.count; i++)
        hy_take(args, i);
    if (args->code == HY_OK)
        hy_take_int(args,
                    options->axis < 0 ? options->axis + (int32_t)output->rank : options->axis);
    return hy_give(args, ANEURALNETWORKS_CONCATENATION);
}

static enum hy_code expand_dims(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_scalar(args, 1);
    return hy_give(args, ANEURALNETWORKS_EXPAND_DIMS);
}

static enum hy_code fill(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_scalar(args, 1);
    return hy_give(args, ANEURALNETWORKS_FILL);
}

static enum hy_code gather(struct hy_arguments *args)
{
    hy_expect(args, args->operator_->options.gather.batch_dims == 0, "a batch dimension");
    hy_take(args, 0);
    hy_take_int(args, args->operator_->options.gather.axis);
    hy_take(args, 1);
    return hy_give(args, ANEURALNETWORKS_GATHER);
}

static enum hy_code mirror_pad(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_int(args, args->operator_->options.mirror_pad.mode); /* the same numbers */
    return hy_give(args, ANEURALNETWORKS_MIRROR_PAD);
}

static enum hy_code pack(struct hy_arguments *args)
{
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);
    int32_t axis = args->operator_->options.pack.axis;

    if (args->code == HY_OK && axis < 0)
        axis += (int32_t)output->rank;
    hy_take_int(args, axis);
    for (uint32_t i = 0; i < args->operator_->inputs.count; i++)
        hy_take(args, i);
    return hy_give(args, ANEURALNETWORKS_PACK);
}

static enum hy_code pad_v2(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_scalar(args, 2);
    return hy_give(args, ANEURALNETWORKS_PAD_V2);
}

/* The target is the shape that the file gives its output: constant or options say the same. */
static enum hy_code reshape(struct hy_arguments *args)
{
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);
    static const int32_t one = 1; /* a scalar of the file is a tensor of one element here */

    if (hy_input(args, 1) >= 0)
        hy_expect(args, hy_input_tensor(args, 1)->data, "a shape that is known only at run time");
    hy_take(args, 0);
    if (args->code == HY_OK)
        hy_take_ints(args, output->rank ? output->dims : &one, output->rank ? output->rank : 1);
    return hy_give(args, ANEURALNETWORKS_RESHAPE);
}

static enum hy_code split(struct hy_arguments *args)
{
    hy_take(args, 1);
    hy_take_scalar(args, 0);
    hy_take_int(args, args->operator_->options.split.num_splits);
    return hy_give(args, ANEURALNETWORKS_SPLIT);
}

static enum hy_code squeeze(struct hy_arguments *args)
{
    const struct hy_tflite_ints *dims = &args->operator_->options.squeeze.squeeze_dims;

    hy_expect(args, dims->count > 0, "squeezing every dimension of 1");
    hy_take(args, 0);
    hy_take_ints(args, dims->values, dims->count);
    return hy_give(args, ANEURALNETWORKS_SQUEEZE);
}

static enum hy_code strided_slice(struct hy_arguments *args)
{
    const struct hy_tflite_strided_slice_options *options = &args->operator_->options.strided_slice;

    hy_expect(args, options->ellipsis_mask == 0 && options->new_axis_mask == 0,
              "an ellipsis or a new axis");
    for (uint32_t i = 0; i < 4; i++)
        hy_take(args, i);
    hy_take_int(args, options->begin_mask);
    hy_take_int(args, options->end_mask);
    hy_take_int(args, options->shrink_axis_mask);
    return hy_give(args, ANEURALNETWORKS_STRIDED_SLICE);
}

/* ---- Reduction ------------------------------------------------------------------------------- */

static enum hy_code mean(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_int(args, args->operator_->options.reducer.keep_dims);
    return hy_give(args, ANEURALNETWORKS_MEAN);
}

static enum hy_code give_reduce(struct hy_arguments *args, int32_t type)
{
    hy_take(args, 0);
    hy_take(args, 1);
    hy_take_bool(args, args->operator_->options.reducer.keep_dims);
    return hy_give(args, type);
}

static enum hy_code reduce_any(struct hy_arguments *args)
{
    return give_reduce(args, ANEURALNETWORKS_REDUCE_ANY);
}

static enum hy_code reduce_max(struct hy_arguments *args)
{
    return give_reduce(args, ANEURALNETWORKS_REDUCE_MAX);
}

static enum hy_code reduce_min(struct hy_arguments *args)
{
    return give_reduce(args, ANEURALNETWORKS_REDUCE_MIN);
}

static enum hy_code reduce_prod(struct hy_arguments *args)
{
    return give_reduce(args, ANEURALNETWORKS_REDUCE_PROD);
}

static enum hy_code reduce_sum(struct hy_arguments *args)
{
    return give_reduce(args, ANEURALNETWORKS_REDUCE_SUM);
}

static enum hy_code arg_max(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_scalar(args, 1);
    return hy_give(args, ANEURALNETWORKS_ARGMAX);
}

static enum hy_code arg_min(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_scalar(args, 1);
    return hy_give(args, ANEURALNETWORKS_ARGMIN);
}

static enum hy_code topk_v2(struct hy_arguments *args)
{
    hy_take(args, 0);
    hy_take_scalar(args, 1);
    return hy_give(args, ANEURALNETWORKS_TOPK_V2);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct row {
    enum hy_tflite_op code;
    enum hy_code (*convert)(struct hy_arguments *args); /* NULL: all inputs, as they stand */
    int32_t type;                                       /* of the operation, for NULL */
} rows[] = {
    {HY_TFLITE_OP_ABS, NULL, ANEURALNETWORKS_ABS},
    {HY_TFLITE_OP_ADD, add, 0},
    {HY_TFLITE_OP_ARG_MAX, arg_max, 0},
    {HY_TFLITE_OP_ARG_MIN, arg_min, 0},
    {HY_TFLITE_OP_AVERAGE_POOL_2D, average_pool_2d, 0},
    {HY_TFLITE_OP_BATCH_MATMUL, batch_matmul, 0},
    {HY_TFLITE_OP_BATCH_TO_SPACE_ND, batch_to_space_nd, 0},
    {HY_TFLITE_OP_CAST, NULL, ANEURALNETWORKS_CAST},
    {HY_TFLITE_OP_CONCATENATION, concatenation, 0},
    {HY_TFLITE_OP_CONV_2D, hy_convert_conv_2d, 0},
    {HY_TFLITE_OP_DEPTH_TO_SPACE, depth_to_space, 0},
    {HY_TFLITE_OP_DEPTHWISE_CONV_2D, hy_convert_depthwise_conv_2d, 0},
    {HY_TFLITE_OP_DEQUANTIZE, NULL, ANEURALNETWORKS_DEQUANTIZE},
    {HY_TFLITE_OP_DIV, div_, 0},
    {HY_TFLITE_OP_ELU, elu, 0},
    {HY_TFLITE_OP_EMBEDDING_LOOKUP, NULL, ANEURALNETWORKS_EMBEDDING_LOOKUP},
    {HY_TFLITE_OP_EQUAL, NULL, ANEURALNETWORKS_EQUAL},
    {HY_TFLITE_OP_EXP, NULL, ANEURALNETWORKS_EXP},
    {HY_TFLITE_OP_EXPAND_DIMS, expand_dims, 0},
    {HY_TFLITE_OP_FILL, fill, 0},
    {HY_TFLITE_OP_FLOOR, NULL, ANEURALNETWORKS_FLOOR},
    {HY_TFLITE_OP_FULLY_CONNECTED, hy_convert_fully_connected, 0},
    {HY_TFLITE_OP_GATHER, gather, 0},
    {HY_TFLITE_OP_GREATER, NULL, ANEURALNETWORKS_GREATER},
    {HY_TFLITE_OP_GREATER_EQUAL, NULL, ANEURALNETWORKS_GREATER_EQUAL},
    {HY_TFLITE_OP_HARD_SWISH, NULL, ANEURALNETWORKS_HARD_SWISH},
    {HY_TFLITE_OP_L2_NORMALIZATION, l2_normalization, 0},
    {HY_TFLITE_OP_L2_POOL_2D, l2_pool_2d, 0},
    {HY_TFLITE_OP_LESS, NULL, ANEURALNETWORKS_LESS},
    {HY_TFLITE_OP_LESS_EQUAL, NULL, ANEURALNETWORKS_LESS_EQUAL},
    {HY_TFLITE_OP_LOCAL_RESPONSE_NORMALIZATION, local_response_normalization, 0},
    {HY_TFLITE_OP_LOG, NULL, ANEURALNETWORKS_LOG},
    {HY_TFLITE_OP_LOGICAL_AND, NULL, ANEURALNETWORKS_LOGICAL_AND},
    {HY_TFLITE_OP_LOGICAL_NOT, NULL, ANEURALNETWORKS_LOGICAL_NOT},
    {HY_TFLITE_OP_LOGICAL_OR, NULL, ANEURALNETWORKS_LOGICAL_OR},
    {HY_TFLITE_OP_LOGISTIC, NULL, ANEURALNETWORKS_LOGISTIC},
    {HY_TFLITE_OP_LOG_SOFTMAX, log_softmax, 0},
    {HY_TFLITE_OP_MAX_POOL_2D, max_pool_2d, 0},
    {HY_TFLITE_OP_MAXIMUM, NULL, ANEURALNETWORKS_MAXIMUM},
    {HY_TFLITE_OP_MEAN, mean, 0},
    {HY_TFLITE_OP_MINIMUM, NULL, ANEURALNETWORKS_MINIMUM},
    {HY_TFLITE_OP_MIRROR_PAD, mirror_pad, 0},
    {HY_TFLITE_OP_MUL, mul, 0},
    {HY_TFLITE_OP_NEG, NULL, ANEURALNETWORKS_NEG},
    {HY_TFLITE_OP_NOT_EQUAL, NULL, ANEURALNETWORKS_NOT_EQUAL},
    {HY_TFLITE_OP_PACK, pack, 0},
    {HY_TFLITE_OP_PAD, NULL, ANEURALNETWORKS_PAD},
    {HY_TFLITE_OP_PADV2, pad_v2, 0},
    {HY_TFLITE_OP_POW, NULL, ANEURALNETWORKS_POW},
    {HY_TFLITE_OP_PRELU, NULL, ANEURALNETWORKS_PRELU},
    {HY_TFLITE_OP_QUANTIZE, NULL, ANEURALNETWORKS_QUANTIZE},
    {HY_TFLITE_OP_REDUCE_ANY, reduce_any, 0},
    {HY_TFLITE_OP_REDUCE_MAX, reduce_max, 0},
    {HY_TFLITE_OP_REDUCE_MIN, reduce_min, 0},
    {HY_TFLITE_OP_REDUCE_PROD, reduce_prod, 0},
    {HY_TFLITE_OP_RELU, NULL, ANEURALNETWORKS_RELU},
    {HY_TFLITE_OP_RELU6, NULL, ANEURALNETWORKS_RELU6},
    {HY_TFLITE_OP_RELU_N1_TO_1, NULL, ANEURALNETWORKS_RELU1},
    {HY_TFLITE_OP_RESHAPE, reshape, 0},
    {HY_TFLITE_OP_RESIZE_BILINEAR, resize_bilinear, 0},
    {HY_TFLITE_OP_RESIZE_NEAREST_NEIGHBOR, resize_nearest_neighbor, 0},
    {HY_TFLITE_OP_REVERSE_V2, NULL, ANEURALNETWORKS_REVERSE},
    {HY_TFLITE_OP_RSQRT, NULL, ANEURALNETWORKS_RSQRT},
    {HY_TFLITE_OP_SELECT, NULL, ANEURALNETWORKS_SELECT},
    {HY_TFLITE_OP_SIN, NULL, ANEURALNETWORKS_SIN},
    {HY_TFLITE_OP_SLICE, NULL, ANEURALNETWORKS_SLICE},
    {HY_TFLITE_OP_SOFTMAX, softmax, 0},
    {HY_TFLITE_OP_SPACE_TO_BATCH_ND, NULL, ANEURALNETWORKS_SPACE_TO_BATCH_ND},
    {HY_TFLITE_OP_SPACE_TO_DEPTH, space_to_depth, 0},
    {HY_TFLITE_OP_SPLIT, split, 0},
    {HY_TFLITE_OP_SQRT, NULL, ANEURALNETWORKS_SQRT},
    {HY_TFLITE_OP_SQUEEZE, squeeze, 0},
    {HY_TFLITE_OP_STRIDED_SLICE, strided_slice, 0},
    {HY_TFLITE_OP_SUB, sub, 0},
    {HY_TFLITE_OP_SUM, reduce_sum, 0},
    {HY_TFLITE_OP_TANH, NULL, ANEURALNETWORKS_TANH},
    {HY_TFLITE_OP_TILE, NULL, ANEURALNETWORKS_TILE},
    {HY_TFLITE_OP_TOPK_V2, topk_v2, 0},
    {HY_TFLITE_OP_TRANSPOSE, NULL, ANEURALNETWORKS_TRANSPOSE},
    {HY_TFLITE_OP_TRANSPOSE_CONV, hy_convert_transpose_conv, 0},
    {HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, hy_convert_unidirectional_sequence_lstm, 0},
};

static enum hy_code give_inputs(struct hy_arguments *args, int32_t type)
{
    for (uint32_t i = 0; i < args->operator_->inputs.count; i++)
        hy_take(args, i);
    return hy_give(args, type);
}

enum hy_code hy_convert_operator(struct hy_model_builder *builder,
                                 const struct hy_tflite_operator *operator_, struct hy_error *err)
{
    struct hy_arguments args = {.builder = builder, .operator_ = operator_, .err = err};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code != operator_->code)
            continue;
        return rows[i].convert ? rows[i].convert(&args) : give_inputs(&args, rows[i].type);
    }
    return hy_fail(err, HY_BAD_DATA, "no NNAPI form of this operator here");
}
