#include "common/inference/infer_concat.h"
#include "common/inference/infer_rules.h"

#include "common/operations/operand_type.h"

/* An axis in [0, count); for org.halyard.operations also counted from the end. */
static enum hy_code read_axis(const struct hy_call *call, uint32_t index, uint32_t count,
                              uint32_t *axis, struct hy_error *err)
{
    if (hy_call_is_extension(call))
        return hy_call_axis(call, index, count, axis, err);

    enum hy_code code = hy_call_size(call, index, 0, axis, err);

    if (code == HY_OK && *axis >= count)
        code = hy_fail(err, HY_FAILED, "axis %u is not below %u", *axis, count);
    return code;
}

enum hy_code hy_concatenation_axis(const struct hy_call *call, uint32_t *axis, struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, hy_call_most_rank(call, 4), err);

    if (code != HY_OK)
        return code;
    return read_axis(call, call->input_count - 1, hy_call_input(call, 0)->shape.rank, axis, err);
}

enum hy_code hy_pack_axis(const struct hy_call *call, uint32_t *axis, struct hy_error *err)
{
    enum hy_code code = hy_call_check_data(call, 1, 1, HY_MAX_RANK - 1, err);

    if (code != HY_OK)
        return code;
    if (hy_call_input(call, 1)->shape.rank == HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "input 1 has rank %u, needs 1 to %u", HY_MAX_RANK,
                       HY_MAX_RANK - 1);
    return read_axis(call, 0, hy_call_input(call, 1)->shape.rank + 1, axis, err);
}

enum hy_code hy_split_axis(const struct hy_call *call, uint32_t *axis, struct hy_error *err)
{
    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);

    if (code != HY_OK)
        return code;
    return hy_call_axis(call, 1, hy_call_input(call, 0)->shape.rank, axis, err);
}

/* HY_FAILED unless inputs `index` and `first` have the same shape except for the extent at
 * `axis`. */
static enum hy_code check_alike(const struct hy_call *call, uint32_t first, uint32_t index,
                                uint32_t axis, struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(call, first)->shape;
    struct hy_shape other = hy_call_input(call, index)->shape;
    char first_text[HY_SHAPE_TEXT_SIZE], text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, index, shape->rank, shape->rank, err);
    if (code != HY_OK)
        return code;
    if (axis < shape->rank && axis < HY_MAX_RANK) /* second condition only for the compiler */
        other.dims[axis] = shape->dims[axis];
    if (!hy_shape_equal(shape, &other))
        return hy_fail(err, HY_FAILED, "inputs %u and %u of shapes %s and %s do not go together",
                       first, index, hy_shape_text(shape, first_text),
                       hy_shape_text(&hy_call_input(call, index)->shape, text));
    return HY_OK;
}

enum hy_code hy_infer_concatenation(const struct hy_call *call, struct hy_shape *outputs,
                                    struct hy_error *err)
{
    uint32_t axis = 0;
    uint64_t sum = 0;
    enum hy_code code = hy_concatenation_axis(call, &axis, err);

    for (uint32_t i = 0; i + 1 < call->input_count && code == HY_OK; i++) {
        code = check_alike(call, 0, i, axis, err);
        sum += hy_call_input(call, i)->shape.dims[axis]; /* no overflow: 2^32 * 2^32 */
    }
    if (code != HY_OK)
        return code;
    if (sum > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "the extents along axis %u sum up to %llu", axis,
                       (unsigned long long)sum);
    outputs[0] = hy_call_input(call, 0)->shape;
    outputs[0].dims[axis] = (uint32_t)sum;
    return HY_OK;
}

enum hy_code hy_infer_pack(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    uint32_t axis = 0;
    enum hy_code code = hy_pack_axis(call, &axis, err);

    for (uint32_t i = 1; i < call->input_count && code == HY_OK; i++)
        code = check_alike(call, 1, i, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;

    const struct hy_shape *in = &hy_call_input(call, 1)->shape;
    struct hy_shape shape = {.rank = in->rank + 1};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = i == axis ? call->input_count - 1 : in->dims[i - (i > axis)];
    outputs[0] = shape;
    return HY_OK;
}

enum hy_code hy_infer_split(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    uint32_t axis = 0, count = 0;

    enum hy_code code = hy_split_axis(call, &axis, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 1, &count, err);
    if (code != HY_OK)
        return code;

    struct hy_shape shape = hy_call_input(call, 0)->shape;
    if (count != call->output_count)
        return hy_fail(err, HY_FAILED, "splits in %u, but has %u outputs", count,
                       call->output_count);
    if (shape.dims[axis] % count != 0)
        return hy_fail(err, HY_FAILED, "extent %u along axis %u does not split in %u",
                       shape.dims[axis], axis, count);
    shape.dims[axis] /= count;
    for (uint32_t i = 0; i < count; i++)
        outputs[i] = shape;
    return HY_OK;
}

/* The sizes in input 2. One size may be -1 and follows from the others. */
static enum hy_code read_sizes(const struct hy_call *call, uint32_t axis, uint32_t extent,
                               struct hy_shape *outputs, struct hy_error *err)
{
    const uint32_t count = call->output_count;
    const struct hy_value *list = hy_call_input(call, 2);
    uint32_t open = count;
    uint64_t sum = 0;

    enum hy_code code = hy_call_check_shape(call, 2, &(struct hy_shape){1, {count}}, err);
    if (code == HY_OK && !list->data)
        code = hy_fail(err, HY_FAILED, "the value of input 2 is not known");
    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        const int64_t size = list->type == HY_TENSOR_INT64 ? ((const int64_t *)list->data)[i]
                                                           : ((const int32_t *)list->data)[i];
        if (size == -1 && open == count)
            open = i;
        else if (size < 0 || size > extent)
            return hy_fail(err, HY_FAILED, "part %u has size %lld of %u", i, (long long)size,
                           extent);
        outputs[i].dims[axis] = size < 0 ? 0 : (uint32_t)size;
        sum += outputs[i].dims[axis];
    }
    if (code != HY_OK)
        return code;
    if (sum > extent || (open == count && sum != extent))
        return hy_fail(err, HY_FAILED, "the sizes sum up to %llu, extent %u along axis %u",
                       (unsigned long long)sum, extent, axis);
    if (open < count)
        outputs[open].dims[axis] = extent - (uint32_t)sum;
    return HY_OK;
}

enum hy_code hy_infer_split_sizes(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    const uint32_t count = call->output_count;
    uint32_t axis = 0;

    enum hy_code code = hy_split_axis(call, &axis, err);
    if (code != HY_OK)
        return code;
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    const uint32_t extent = shape.dims[axis];
    shape.dims[axis] = extent / count;
    for (uint32_t i = 0; i < count; i++)
        outputs[i] = shape;
    if (!hy_call_input(call, 2)->omitted)
        return read_sizes(call, axis, extent, outputs, err);
    if (extent % count != 0)
        return hy_fail(err, HY_FAILED, "extent %u along axis %u does not split in %u", extent, axis,
                       count);
    return HY_OK;
}

enum hy_code hy_infer_unpack(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t axis = 0;

    enum hy_code code = hy_split_axis(call, &axis, err);
    if (code != HY_OK)
        return code;
    if (in->dims[axis] != call->output_count)
        return hy_fail(err, HY_FAILED, "extent %u along axis %u, but has %u outputs",
                       in->dims[axis], axis, call->output_count);
    struct hy_shape shape = {.rank = in->rank - 1};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = in->dims[i + (i >= axis)];
    for (uint32_t i = 0; i < call->output_count; i++)
        outputs[i] = shape.rank > 0 ? shape : (struct hy_shape){1, {1}};
    return HY_OK;
}
