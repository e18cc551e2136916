#include "common/inference/infer_reduce.h"
#include "common/inference/infer_rules.h"

#include "common/operations/operand_type.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

static enum hy_code read_axes(const struct hy_call *call, uint32_t *axes, struct hy_error *err)
{
    uint32_t rank = hy_call_input(call, 0)->shape.rank, bits = 0;
    const struct hy_value *list = hy_call_input(call, 1);

    enum hy_code code = hy_call_check_rank(call, 1, 1, 1, err);
    if (code != HY_OK)
        return code;
    if (!list->data && list->shape.dims[0] > 0)
        return hy_fail(err, HY_FAILED, "the value of input 1 is not known");
    for (uint32_t i = 0; i < list->shape.dims[0]; i++) {
        int32_t value;
        memcpy(&value, (const int32_t *)list->data + i, sizeof value);
        int64_t axis = value < 0 ? (int64_t)value + rank : value;
        if (axis < 0 || axis >= rank)
            return hy_fail(err, HY_FAILED, "axis %u is %d, outside a tensor of rank %u", i, value,
                           rank);
        bits |= 1u << axis;
    }
    *axes = bits;
    return HY_OK;
}

/* An integer in MEAN, a bool in the other operations. */
static enum hy_code read_keep_dimensions(const struct hy_call *call, bool *keep_dimensions,
                                         struct hy_error *err)
{
    int32_t number;

    if (hy_call_input(call, 2)->type == ANEURALNETWORKS_BOOL)
        return hy_call_bool(call, 2, keep_dimensions, err);
    enum hy_code code = hy_call_int(call, 2, &number, err);
    if (code == HY_OK)
        *keep_dimensions = number > 0;
    return code;
}

/* Sums, products and means of the extension are rescaled to the output. */
static bool is_rescaled(int32_t operation)
{
    return operation == HY_EXT_REDUCE_SUM || operation == HY_EXT_REDUCE_PROD ||
           operation == HY_EXT_REDUCE_MEAN;
}

/* Other operations require equal quantization of input and output, or none on both sides. */
static enum hy_code check_quant(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(call, 0);

    if (is_rescaled(call->operation))
        return HY_OK;
    return hy_call_check_output_quant(call, 0, in->scale, in->zero_point, err);
}

enum hy_code hy_reduction_read(const struct hy_call *call, struct hy_reduction *reduction,
                               struct hy_error *err)
{
    const uint32_t most = hy_type_is_extension(call->operation) ? HY_MAX_RANK : 4;
    struct hy_reduction read;

    enum hy_code code = hy_call_check_filled(call, 0, 1, most, err);
    if (code == HY_OK)
        code = check_quant(call, err);
    if (code == HY_OK)
        code = read_axes(call, &read.axes, err);
    if (code == HY_OK)
        code = read_keep_dimensions(call, &read.keep_dimensions, err);
    if (code == HY_OK)
        *reduction = read;
    return code;
}

/* A tensor has at least one dimension. */
static struct hy_shape or_one(struct hy_shape shape)
{
    return shape.rank > 0 ? shape : (struct hy_shape){1, {1}};
}

enum hy_code hy_infer_reduce(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_shape out = {0};
    struct hy_reduction reduction;
    enum hy_code code = hy_reduction_read(call, &reduction, err);

    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < in->rank; i++) {
        bool reduced = reduction.axes >> i & 1;
        if (!reduced || reduction.keep_dimensions)
            out.dims[out.rank++] = reduced ? 1 : in->dims[i];
    }
    outputs[0] = or_one(out);
    return HY_OK;
}

/* Output `index` has any number of indices of `count` elements each. TENSOR_INT64 consists of int32
 * values. */
static enum hy_code check_indices(const struct hy_call *call, uint32_t index, uint32_t count,
                                  struct hy_error *err)
{
    const bool is_short = hy_call_output(call, index)->type == HY_TENSOR_INT16;

    if (count > (is_short ? INT16_MAX : INT32_MAX))
        return hy_fail(err, HY_FAILED, "indices of %u elements do not fit int%d", count,
                       is_short ? 16 : 32);
    return HY_OK;
}

/* Input 2 of ARG_MAX, ARG_MIN and TOP_K. */
static enum hy_code check_flag(const struct hy_call *call, struct hy_error *err)
{
    bool flag;

    return call->input_count > 2 ? hy_call_bool(call, 2, &flag, err) : HY_OK;
}

/* ARGMAX and ARGMIN: removes the axis of input 1. */
enum hy_code hy_infer_arg_min_max(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_shape out = {0};
    uint32_t axis;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 1, in->rank, &axis, err);
    if (code == HY_OK)
        code = check_flag(call, err);
    if (code == HY_OK)
        code = check_indices(call, 0, in->dims[axis], err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (i != axis)
            out.dims[out.rank++] = in->dims[i];
    }
    outputs[0] = or_one(out);
    return HY_OK;
}

/* A scalar; TOP_K also accepts a tensor of one element. */
static enum hy_code read_k(const struct hy_call *call, uint32_t *k, struct hy_error *err)
{
    int32_t value;

    if (hy_call_input(call, 1)->type == ANEURALNETWORKS_INT32)
        return hy_call_size(call, 1, 1, k, err);
    const enum hy_code code = hy_call_int_list(call, 1, 1, &value, err);
    if (code == HY_OK && value < 1)
        return hy_fail(err, HY_FAILED, "input 1 is %d, must be 1 at least", value);
    *k = code == HY_OK ? (uint32_t)value : 0;
    return code;
}

/* TOPK_V2 and TOP_K: both outputs have `k`, in 1..last extent, as their last extent. */
enum hy_code hy_infer_top_k(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t k;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = check_quant(call, err);
    if (code == HY_OK)
        code = read_k(call, &k, err);
    if (code == HY_OK)
        code = check_flag(call, err);
    if (code == HY_OK)
        code = check_indices(call, 1, in->dims[in->rank - 1], err);
    if (code != HY_OK)
        return code;
    uint32_t *last = &outputs[0].dims[in->rank - 1];
    outputs[0] = *in;
    if (k > *last)
        return hy_fail(err, HY_FAILED, "k is %u for rows of %u elements", k, *last);
    *last = k;
    outputs[1] = outputs[0];
    return HY_OK;
}

/* ---- CUMSUM ---------------------------------------------------------------------------------- */

enum hy_code hy_running_sum_read(const struct hy_call *call, struct hy_running_sum *sum,
                                 struct hy_error *err)
{
    struct hy_running_sum read;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 1, hy_call_input(call, 0)->shape.rank, &read.axis, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 2, &read.exclusive, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 3, &read.reverse, err);
    if (code == HY_OK)
        *sum = read;
    return code;
}

enum hy_code hy_infer_cumsum(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    struct hy_running_sum sum;
    const enum hy_code code = hy_running_sum_read(call, &sum, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}

/* ---- REDUCE_WINDOW --------------------------------------------------------------------------- */

/* Sizes, strides or dilations. */
static enum hy_code read_sizes(const struct hy_call *call, uint32_t index, int32_t *sizes,
                               struct hy_error *err)
{
    const uint32_t rank = hy_call_input(call, 0)->shape.rank;
    const enum hy_code code = hy_call_int_list(call, index, rank, sizes, err);

    for (uint32_t i = 0; code == HY_OK && i < rank; i++)
        if (sizes[i] < 1)
            return hy_fail(err, HY_FAILED, "element %u of input %u is %d, must be 1 at least", i,
                           index, sizes[i]);
    return code;
}

/* 0 to 3 for numbers, 4 and 5 for BOOL8. */
static enum hy_code check_function(const struct hy_call *call, int32_t function,
                                   struct hy_error *err)
{
    const bool is_bool = hy_call_input(call, 0)->type == ANEURALNETWORKS_TENSOR_BOOL8;

    if (is_bool ? function != 4 && function != 5 : function < 0 || function > 3)
        return hy_fail(err, HY_FAILED, "input 5 is %d, not a reduction for this type", function);
    return HY_OK;
}

enum hy_code hy_windows_read(const struct hy_call *call, struct hy_windows *windows,
                             struct hy_error *err)
{
    const struct hy_shape one = {1, {1}};
    struct hy_windows read;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 1, &one, err);
    if (code == HY_OK)
        code = read_sizes(call, 2, read.sizes, err);
    if (code == HY_OK)
        code = read_sizes(call, 3, read.strides, err);
    if (code == HY_OK)
        code = read_sizes(call, 4, read.dilations, err);
    if (code == HY_OK)
        code = hy_call_int(call, 5, &read.function, err);
    if (code == HY_OK)
        code = check_function(call, read.function, err);
    if (code == HY_OK)
        *windows = read;
    return code;
}

/* Positions of the window in each dimension; none if the window is larger than the tensor. */
enum hy_code hy_infer_reduce_window(const struct hy_call *call, struct hy_shape *outputs,
                                    struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_windows windows;
    const enum hy_code code = hy_windows_read(call, &windows, err);

    if (code != HY_OK)
        return code;
    outputs[0] = *in;
    for (uint32_t i = 0; i < in->rank; i++) {
        const int64_t span = (int64_t)(windows.sizes[i] - 1) * windows.dilations[i] + 1;
        const int64_t capacity = (int64_t)in->dims[i] - span;
        outputs[0].dims[i] = capacity < 0 ? 0 : (uint32_t)(capacity / windows.strides[i] + 1);
    }
    return HY_OK;
}
