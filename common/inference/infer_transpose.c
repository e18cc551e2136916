#include "common/inference/infer_transpose.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_transpose_order(const struct hy_call *call, uint32_t order[HY_MAX_RANK],
                                struct hy_error *err)
{
    const bool is_extension = hy_call_is_extension(call);
    const bool is_omitted = hy_call_input(call, 1)->omitted;
    uint32_t rank = hy_call_input(call, 0)->shape.rank, seen = 0;
    int32_t list[HY_MAX_RANK];

    enum hy_code code = is_omitted && !is_extension
                            ? hy_call_check_rank(call, 0, 2, 2, err)
                            : hy_call_check_rank(call, 0, 1, hy_call_most_rank(call, 4), err);
    for (uint32_t i = 0; is_omitted && code == HY_OK && i < rank; i++)
        list[i] = (int32_t)(rank - 1 - i);
    if (code == HY_OK && !is_omitted)
        code = hy_call_int_list(call, 1, rank, list, err);
    for (uint32_t i = 0; i < rank && code == HY_OK; i++) {
        const int64_t from = is_extension && list[i] < 0 ? (int64_t)list[i] + rank : list[i];
        if (from < 0 || from >= rank || seen >> from & 1)
            return hy_fail(
                err, HY_FAILED,
                "dimension %u comes from dimension %d, which is used twice or not below rank %u", i,
                list[i], rank);
        seen |= 1u << from;
        order[i] = (uint32_t)from;
    }
    return code;
}

enum hy_code hy_channel_shuffle_read(const struct hy_call *call, uint32_t *groups, uint32_t *axis,
                                     struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;

    enum hy_code code = hy_call_check_filled(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 1, groups, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 2, in->rank, axis, err);
    if (code == HY_OK && in->dims[*axis] % *groups != 0)
        code = hy_fail(err, HY_FAILED, "extent %u along axis %u is not a multiple of %u groups",
                       in->dims[*axis], *axis, *groups);
    return code;
}

enum hy_code hy_infer_transpose(const struct hy_call *call, struct hy_shape *outputs,
                                struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t order[HY_MAX_RANK];
    enum hy_code code = hy_transpose_order(call, order, err);

    if (code != HY_OK)
        return code;
    outputs[0] = (struct hy_shape){.rank = in->rank};
    for (uint32_t i = 0; i < in->rank; i++)
        outputs[0].dims[i] = in->dims[order[i]];
    return HY_OK;
}

enum hy_code hy_infer_channel_shuffle(const struct hy_call *call, struct hy_shape *outputs,
                                      struct hy_error *err)
{
    uint32_t groups, axis;
    enum hy_code code = hy_channel_shuffle_read(call, &groups, &axis, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}

/* TILE: input 1 has the number of repetitions along each dimension. */
enum hy_code hy_infer_tile(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    int32_t multiples[HY_MAX_RANK];

    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, shape.rank, multiples, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < shape.rank; i++) {
        int64_t extent = (int64_t)shape.dims[i] * multiples[i]; /* product of 32 and 31 bits */
        if (extent < 0 || extent > UINT32_MAX)
            return hy_fail(err, HY_FAILED, "dimension %u of extent %u cannot be repeated %d times",
                           i, shape.dims[i], multiples[i]);
        shape.dims[i] = (uint32_t)extent;
    }
    outputs[0] = shape;
    return HY_OK;
}

enum hy_code hy_reverse_sequence_read(const struct hy_call *call, uint32_t *time, uint32_t *batch,
                                      struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;

    enum hy_code code = hy_call_check_rank(call, 0, 2, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 2, in->rank, time, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 3, in->rank, batch, err);
    if (code != HY_OK)
        return code;
    if (*time == *batch)
        return hy_fail(err, HY_FAILED, "dimension %u is given both as time and as batch", *time);
    return hy_call_check_shape(call, 1, &(struct hy_shape){1, {in->dims[*batch]}}, err);
}

enum hy_code hy_infer_reverse_sequence(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    uint32_t time, batch;

    outputs[0] = hy_call_input(call, 0)->shape;
    return hy_reverse_sequence_read(call, &time, &batch, err);
}
