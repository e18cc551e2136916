#include "common/inference/infer_reduce.h"
#include "common/inference/infer_rules.h"

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

/* An integer in MEAN, a bool in its successors. */
static enum hy_code read_keep(const struct hy_call *call, bool *keep, struct hy_error *err)
{
    int32_t number;

    if (hy_call_input(call, 2)->type == ANEURALNETWORKS_BOOL)
        return hy_call_bool(call, 2, keep, err);
    enum hy_code code = hy_call_int(call, 2, &number, err);
    if (code == HY_OK)
        *keep = number > 0;
    return code;
}

/* MEAN, REDUCE_MAX and REDUCE_MIN keep the quantisation; where there is none, so do both sides. */
static enum hy_code check_quant(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(call, 0);
    return hy_call_check_output_quant(call, 0, in->scale, in->zero_point, err);
}

enum hy_code hy_reduction_read(const struct hy_call *call, struct hy_reduction *reduction,
                               struct hy_error *err)
{
    struct hy_reduction read;

    enum hy_code code = hy_call_check_filled(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = check_quant(call, err);
    if (code == HY_OK)
        code = read_axes(call, &read.axes, err);
    if (code == HY_OK)
        code = read_keep(call, &read.keep, err);
    if (code == HY_OK)
        *reduction = read;
    return code;
}

/* A tensor has a dimension at least. */
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
        if (!reduced || reduction.keep)
            out.dims[out.rank++] = reduced ? 1 : in->dims[i];
    }
    outputs[0] = or_one(out);
    return HY_OK;
}

/* ARGMAX and ARGMIN: the axis of input 1 goes. */
enum hy_code hy_infer_arg_extreme(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_shape out = {0};
    uint32_t axis;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 1, in->rank, &axis, err);
    if (code != HY_OK)
        return code;
    if (in->dims[axis] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "indices of %u elements do not fit int32", in->dims[axis]);
    for (uint32_t i = 0; i < in->rank; i++) {
        if (i != axis)
            out.dims[out.rank++] = in->dims[i];
    }
    outputs[0] = or_one(out);
    return HY_OK;
}

/* TOPK_V2: both outputs have `k`, in 1..last extent, as their last extent. */
enum hy_code hy_infer_top_k(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t k;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = check_quant(call, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 1, &k, err);
    if (code != HY_OK)
        return code;
    uint32_t *last = &outputs[0].dims[in->rank - 1];
    outputs[0] = *in;
    if (k > *last || *last > INT32_MAX)
        return hy_fail(err, HY_FAILED, "k is %u for rows of %u elements", k, *last);
    *last = k;
    outputs[1] = outputs[0];
    return HY_OK;
}
