#include "common/inference/infer_slice.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_slice_read(const struct hy_call *call, struct hy_slice *slice, struct hy_error *err)
{
    struct hy_slice read = {.in = hy_call_input(call, 0)->shape};
    int32_t begin[HY_MAX_RANK], size[HY_MAX_RANK];

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, read.in.rank, begin, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 2, read.in.rank, size, err);
    if (code != HY_OK)
        return code;
    read.out.rank = read.in.rank;
    for (uint32_t i = 0; i < read.in.rank; i++) {
        int64_t extent = read.in.dims[i];
        int64_t count = size[i] == -1 ? extent - begin[i] : size[i];
        if (begin[i] < 0 || count < 0 || begin[i] + count > extent)
            return hy_fail(err, HY_FAILED, "%d elements from %d on leave dimension %u of extent %u",
                           size[i], begin[i], i, read.in.dims[i]);
        read.begin[i] = (uint32_t)begin[i];
        read.size[i] = read.out.dims[i] = (uint32_t)count;
        read.stride[i] = 1;
    }
    *slice = read;
    return HY_OK;
}

enum hy_code hy_reverse_read(const struct hy_call *call, struct hy_slice *slice,
                             struct hy_error *err)
{
    struct hy_slice read = {.in = hy_call_input(call, 0)->shape};
    int32_t axis = 0;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, 1, &axis, err);
    if (code != HY_OK)
        return code;
    if (axis < 0 || (uint32_t)axis >= read.in.rank)
        return hy_fail(err, HY_FAILED, "axis %d is not below %u", axis, read.in.rank);
    for (uint32_t i = 0; i < read.in.rank; i++) {
        read.size[i] = read.in.dims[i];
        read.stride[i] = 1;
    }
    read.begin[axis] = read.in.dims[axis] - 1;
    read.stride[axis] = -1;
    read.out = read.in;
    *slice = read;
    return HY_OK;
}

/* What STRIDED_SLICE says about one dimension. */
struct range {
    int32_t begin, end, stride;
    bool from_edge, to_edge, shrinks; /* its bits of the three masks */
};

/* Counts from the end when below 0, and keeps the result where a walk may begin or end. */
static int64_t clamp_index(int64_t index, int64_t extent, int32_t stride)
{
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? extent : extent - 1;

    if (index < 0)
        index += extent;
    return index < low ? low : index > high ? high : index;
}

/* Resolves dimension `i`, of extent above 0. */
static enum hy_code read_range(const struct range *range, uint32_t i, struct hy_slice *slice,
                               struct hy_error *err)
{
    int64_t extent = slice->in.dims[i], stride = range->stride;

    if (stride == 0)
        return hy_fail(err, HY_FAILED, "dimension %u has stride 0", i);
    int64_t begin = range->from_edge ? (stride > 0 ? 0 : extent - 1)
                                     : clamp_index(range->begin, extent, range->stride);
    int64_t end = range->to_edge ? (stride > 0 ? extent : -1)
                                 : clamp_index(range->end, extent, range->stride);
    int64_t distance = stride > 0 ? end - begin : begin - end;
    int64_t step = stride > 0 ? stride : -stride;
    int64_t size = distance > 0 ? (distance + step - 1) / step : 0;

    if (range->shrinks && (stride < 0 || size != 1))
        return hy_fail(err, HY_FAILED, "dimension %u cannot be left out: %lld elements, stride %d",
                       i, (long long)size, range->stride);
    slice->begin[i] = size > 0 ? (uint32_t)begin : 0;
    slice->size[i] = (uint32_t)size;
    slice->stride[i] = range->stride;
    if (!range->shrinks)
        slice->out.dims[slice->out.rank++] = (uint32_t)size;
    return HY_OK;
}

enum hy_code hy_strided_slice_read(const struct hy_call *call, struct hy_slice *slice,
                                   struct hy_error *err)
{
    struct hy_slice read = {.in = hy_call_input(call, 0)->shape};
    int32_t lists[3][HY_MAX_RANK], masks[3] = {0};

    enum hy_code code = hy_call_check_filled(call, 0, 1, 4, err);
    for (uint32_t i = 0; i < 3 && code == HY_OK; i++)
        code = hy_call_int_list(call, 1 + i, read.in.rank, lists[i], err);
    for (uint32_t i = 0; i < 3 && code == HY_OK; i++)
        code = hy_call_int(call, 4 + i, &masks[i], err);
    for (uint32_t i = 0; i < read.in.rank && code == HY_OK; i++) {
        struct range range = {
            .begin = lists[0][i],
            .end = lists[1][i],
            .stride = lists[2][i],
            .from_edge = masks[0] >> i & 1,
            .to_edge = masks[1] >> i & 1,
            .shrinks = masks[2] >> i & 1,
        };
        code = read_range(&range, i, &read, err);
    }
    if (code != HY_OK)
        return code;
    if (read.out.rank == 0)
        read.out = (struct hy_shape){1, {1}};
    *slice = read;
    return HY_OK;
}

enum hy_code hy_infer_slice(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_slice_read(call, &slice, err);

    if (code == HY_OK)
        outputs[0] = slice.out;
    return code;
}

enum hy_code hy_infer_strided_slice(const struct hy_call *call, struct hy_shape *outputs,
                                    struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_strided_slice_read(call, &slice, err);

    if (code == HY_OK)
        outputs[0] = slice.out;
    return code;
}

enum hy_code hy_infer_reverse(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_reverse_read(call, &slice, err);

    if (code == HY_OK)
        outputs[0] = slice.out;
    return code;
}
