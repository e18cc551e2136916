#include "common/inference/infer_reorder.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_transpose_order(const struct hy_call *call, uint32_t order[HY_MAX_RANK],
                                struct hy_error *err)
{
    uint32_t rank = hy_call_input(call, 0)->shape.rank, seen = 0;
    int32_t list[HY_MAX_RANK] = {1, 0};
    enum hy_code code;

    if (hy_call_input(call, 1)->omitted) {
        code = hy_call_check_rank(call, 0, 2, 2, err);
    } else {
        code = hy_call_check_rank(call, 0, 1, 4, err);
        if (code == HY_OK)
            code = hy_call_int_list(call, 1, rank, list, err);
    }
    for (uint32_t i = 0; i < rank && code == HY_OK; i++) {
        if (list[i] < 0 || (uint32_t)list[i] >= rank || seen >> list[i] & 1)
            return hy_fail(err, HY_FAILED,
                           "dimension %u becomes that of %d, which is none of %u, or taken twice",
                           i, list[i], rank);
        seen |= 1u << list[i];
        order[i] = (uint32_t)list[i];
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

/* TILE: input 1 says how often the input stands along each dimension. */
enum hy_code hy_infer_tile(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    int32_t multiples[HY_MAX_RANK];

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, shape.rank, multiples, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < shape.rank; i++) {
        int64_t extent = (int64_t)shape.dims[i] * multiples[i]; /* a product of 32 and 31 bits */
        if (extent < 0 || extent > UINT32_MAX)
            return hy_fail(err, HY_FAILED, "dimension %u of extent %u cannot stand %d times", i,
                           shape.dims[i], multiples[i]);
        shape.dims[i] = (uint32_t)extent;
    }
    outputs[0] = shape;
    return HY_OK;
}
