#include "common/inference/infer_rules.h"

#include <string.h>

/* Indices are computed as int32. */
static enum hy_code check_extents(const struct hy_call *call, uint32_t index, struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(call, index)->shape;

    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] > INT32_MAX)
            return hy_fail(err, HY_FAILED, "indices of %u elements do not fit int32",
                           shape->dims[i]);
    return HY_OK;
}

/* WHERE: at most as many rows as input 0 has elements. */
enum hy_code hy_infer_where(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint64_t elements;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = check_extents(call, 0, err);
    if (code != HY_OK)
        return code;
    if (!hy_shape_elements(in, &elements) || elements > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "input 0 has more elements than an output can have rows");
    outputs[0] = (struct hy_shape){2, {(uint32_t)elements, in->rank}};
    return HY_OK;
}

/* UNIQUE: at most as many values as input 0 has elements. */
enum hy_code hy_infer_unique(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, 1, err);

    if (code == HY_OK)
        code = check_extents(call, 0, err);
    if (code == HY_OK)
        outputs[0] = outputs[1] = hy_call_input(call, 0)->shape;
    return code;
}

enum hy_code hy_infer_bucketize(const struct hy_call *call, struct hy_shape *outputs,
                                struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);

    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 1, 1, err);
    if (code == HY_OK)
        code = check_extents(call, 1, err);
    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}

/* SEGMENT_SUM: at most as many segments as input 0 has rows. */
enum hy_code hy_infer_segment_sum(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 1, &(struct hy_shape){1, {in->dims[0]}}, err);
    if (code == HY_OK)
        outputs[0] = *in;
    return code;
}

/* UNSORTED_SEGMENT_*: input 1 assigns segment numbers to the leading dimensions of input 0, which
 * the segments replace. */
enum hy_code hy_infer_unsorted_segment(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    const struct hy_shape *ids = &hy_call_input(call, 1)->shape;
    uint32_t segments;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 1, in->rank, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 0, &segments, err);
    if (code != HY_OK)
        return code;
    struct hy_shape leading = *in;
    leading.rank = ids->rank;
    memset(leading.dims + ids->rank, 0, (in->rank - ids->rank) * sizeof *leading.dims);
    code = hy_call_check_shape(call, 1, &leading, err);
    if (code != HY_OK)
        return code;
    outputs[0] = (struct hy_shape){1, {segments}};
    for (uint32_t i = ids->rank; i < in->rank; i++)
        outputs[0].dims[outputs[0].rank++] = in->dims[i];
    return HY_OK;
}
