#include "common/call.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/half.h"
#include "common/operations/operand_type.h"

enum hy_code hy_call_check_rank(const struct hy_call *call, uint32_t index, uint32_t fewest,
                                uint32_t most, struct hy_error *err)
{
    const struct hy_value *value = hy_call_input(call, index);

    if (value->omitted)
        return hy_fail(err, HY_FAILED, "input %u is left out, but needed", index);
    if (!value->known)
        return hy_fail(err, HY_FAILED, "input %u has no known shape", index);
    if (value->shape.rank < fewest || value->shape.rank > most)
        return hy_fail(err, HY_FAILED, "input %u has rank %u, needs %u to %u", index,
                       value->shape.rank, fewest, most);
    return HY_OK;
}

enum hy_code hy_call_check_filled(const struct hy_call *call, uint32_t index, uint32_t fewest,
                                  uint32_t most, struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(call, index)->shape;
    char text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, index, fewest, most, err);
    for (uint32_t i = 0; i < shape->rank && code == HY_OK; i++) {
        if (shape->dims[i] == 0)
            code = hy_fail(err, HY_FAILED, "input %u of shape %s is empty", index,
                           hy_shape_text(shape, text));
    }
    return code;
}

bool hy_call_is_extension(const struct hy_call *call)
{
    return hy_type_is_extension(call->operation);
}

uint32_t hy_call_most_rank(const struct hy_call *call, uint32_t of_nnapi)
{
    return hy_call_is_extension(call) ? HY_MAX_RANK : of_nnapi;
}

enum hy_code hy_call_check_data(const struct hy_call *call, uint32_t index, uint32_t fewest,
                                uint32_t most, struct hy_error *err)
{
    if (hy_call_is_extension(call))
        return hy_call_check_rank(call, index, fewest, HY_MAX_RANK, err);
    return hy_call_check_filled(call, index, fewest, most, err);
}

enum hy_code hy_call_check_shape(const struct hy_call *call, uint32_t index,
                                 const struct hy_shape *shape, struct hy_error *err)
{
    const struct hy_value *value = hy_call_input(call, index);
    char actual[HY_SHAPE_TEXT_SIZE], needed[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, index, 1, HY_MAX_RANK, err);
    if (code != HY_OK || hy_shape_equal(&value->shape, shape))
        return code;
    return hy_fail(err, HY_FAILED, "input %u has shape %s, needs %s", index,
                   hy_shape_text(&value->shape, actual), hy_shape_text(shape, needed));
}

static enum hy_code read_scalar(const struct hy_call *call, uint32_t index, int32_t type, void *out,
                                struct hy_error *err)
{
    if (index >= call->input_count)
        return hy_fail(err, HY_FAILED, "input %u does not exist", index);
    const struct hy_value *value = hy_call_input(call, index);
    if (value->omitted)
        return hy_fail(err, HY_FAILED, "input %u is left out, but needed", index);
    if (value->type != type)
        return hy_fail(err, HY_FAILED, "input %u is %s, needs %s", index,
                       hy_operand_type_name(value->type), hy_operand_type_name(type));
    if (!value->data)
        return hy_fail(err, HY_FAILED, "the value of input %u is not known", index);
    memcpy(out, value->data, hy_operand_type_bytes(type));
    return HY_OK;
}

enum hy_code hy_call_int(const struct hy_call *call, uint32_t index, int32_t *out,
                         struct hy_error *err)
{
    return read_scalar(call, index, ANEURALNETWORKS_INT32, out, err);
}

enum hy_code hy_call_size(const struct hy_call *call, uint32_t index, int32_t fewest, uint32_t *out,
                          struct hy_error *err)
{
    int32_t value;
    enum hy_code code = hy_call_int(call, index, &value, err);

    if (code != HY_OK)
        return code;
    if (value < fewest)
        return hy_fail(err, HY_FAILED, "input %u is %d, needs %d or more", index, value, fewest);
    *out = (uint32_t)value;
    return HY_OK;
}

enum hy_code hy_call_bool(const struct hy_call *call, uint32_t index, bool *out,
                          struct hy_error *err)
{
    uint8_t byte;
    enum hy_code code = read_scalar(call, index, ANEURALNETWORKS_BOOL, &byte, err);

    if (code == HY_OK)
        *out = byte != 0;
    return code;
}

enum hy_code hy_call_float(const struct hy_call *call, uint32_t index, float *out,
                           struct hy_error *err)
{
    uint16_t half;

    if (index >= call->input_count || hy_call_input(call, index)->type != ANEURALNETWORKS_FLOAT16)
        return read_scalar(call, index, ANEURALNETWORKS_FLOAT32, out, err);
    enum hy_code code = read_scalar(call, index, ANEURALNETWORKS_FLOAT16, &half, err);
    if (code == HY_OK)
        *out = hy_half_to_float(half);
    return code;
}

static void narrow(const int64_t *wide, size_t count, int32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t number = wide[i];
        out[i] = number < INT32_MIN ? INT32_MIN : number > INT32_MAX ? INT32_MAX : (int32_t)number;
    }
}

static enum hy_code read_ints(const struct hy_call *call, uint32_t index,
                              const struct hy_shape *shape, int32_t *out, struct hy_error *err)
{
    const struct hy_value *value = hy_call_input(call, index);
    const size_t count = hy_shape_span(shape, 0, shape->rank);

    enum hy_code code = hy_call_check_shape(call, index, shape, err);
    if (code != HY_OK)
        return code;
    if (!value->data && count > 0)
        return hy_fail(err, HY_FAILED, "the value of input %u is not known", index);
    if (value->type == HY_TENSOR_INT64)
        narrow(value->data, count, out);
    else if (count > 0)
        memcpy(out, value->data, count * sizeof *out);
    return HY_OK;
}

enum hy_code hy_call_int_list(const struct hy_call *call, uint32_t index, uint32_t count,
                              int32_t *out, struct hy_error *err)
{
    return read_ints(call, index, &(struct hy_shape){1, {count}}, out, err);
}

enum hy_code hy_call_int_pairs(const struct hy_call *call, uint32_t index, uint32_t count,
                               int32_t (*out)[2], struct hy_error *err)
{
    return read_ints(call, index, &(struct hy_shape){2, {count, 2}}, *out, err);
}

enum hy_code hy_call_extents(const struct hy_call *call, uint32_t index, int32_t fewest,
                             struct hy_shape *out, struct hy_error *err)
{
    int32_t extents[HY_MAX_RANK] = {0};

    enum hy_code code = hy_call_check_filled(call, index, 1, 1, err);
    if (code != HY_OK)
        return code;
    const uint32_t rank = hy_call_input(call, index)->shape.dims[0];
    if (rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "the shape has rank %u, needs 1 to %u", rank, HY_MAX_RANK);
    code = hy_call_int_list(call, index, rank, extents, err);
    if (code != HY_OK)
        return code;
    *out = (struct hy_shape){.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] < fewest)
            return hy_fail(err, HY_FAILED, "extent %u of the shape is %d", i, extents[i]);
        out->dims[i] = (uint32_t)extents[i];
    }
    return HY_OK;
}

enum hy_code hy_call_activation(const struct hy_call *call, uint32_t index, int32_t *out,
                                struct hy_error *err)
{
    int32_t value;
    enum hy_code code = hy_call_int(call, index, &value, err);

    if (code != HY_OK)
        return code;
    if (value < ANEURALNETWORKS_FUSED_NONE || value > ANEURALNETWORKS_FUSED_RELU6)
        return hy_fail(err, HY_FAILED, "input %u is %d, not an activation (0 to 3)", index, value);
    *out = value;
    return HY_OK;
}

enum hy_code hy_call_axis(const struct hy_call *call, uint32_t index, uint32_t rank, uint32_t *out,
                          struct hy_error *err)
{
    int32_t value;
    enum hy_code code = hy_call_int(call, index, &value, err);

    if (code != HY_OK)
        return code;
    int64_t axis = value < 0 ? (int64_t)value + rank : value;
    if (axis < 0 || axis >= rank)
        return hy_fail(err, HY_FAILED, "axis %d is outside a tensor of rank %u", value, rank);
    *out = (uint32_t)axis;
    return HY_OK;
}

enum hy_code hy_call_check_output_quant(const struct hy_call *call, uint32_t index, float scale,
                                        int32_t zero_point, struct hy_error *err)
{
    const struct hy_value *value = hy_call_output(call, index);

    if (!hy_scale_is_same(value->scale, scale) || value->zero_point != zero_point)
        return hy_fail(err, HY_FAILED, "output %u has scale %g and zero point %d, needs %g and %d",
                       index, (double)value->scale, value->zero_point, (double)scale, zero_point);
    return HY_OK;
}
