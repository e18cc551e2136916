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
            return hy_fail(err, HY_FAILED,
                           "%d elements from element %d on do not fit dimension %u of extent %u",
                           size[i], begin[i], i, read.in.dims[i]);
        read.begin[i] = (uint32_t)begin[i];
        read.size[i] = read.out.dims[i] = (uint32_t)count;
        read.stride[i] = 1;
    }
    *slice = read;
    return HY_OK;
}

/* REVERSE of NNAPI has a single axis, not counted from the end. */
static enum hy_code read_axes(const struct hy_call *call, uint32_t rank, uint32_t *axes,
                              struct hy_error *err)
{
    const bool is_extension = hy_call_is_extension(call);
    int32_t list[HY_MAX_RANK];
    uint32_t count = 1;

    *axes = 0;
    enum hy_code code = HY_OK;
    if (is_extension) {
        code = hy_call_check_rank(call, 1, 1, 1, err);
        count = hy_call_input(call, 1)->shape.dims[0];
        if (code == HY_OK && count > rank)
            code = hy_fail(err, HY_FAILED, "%u axes for a tensor of rank %u", count, rank);
    }
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, count, list, err);
    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        const int64_t axis = is_extension && list[i] < 0 ? (int64_t)list[i] + rank : list[i];
        if (axis < 0 || axis >= rank)
            return hy_fail(err, HY_FAILED, "axis %d is not below %u", list[i], rank);
        if (*axes >> axis & 1)
            return hy_fail(err, HY_FAILED, "axis %d is given twice", list[i]);
        *axes |= 1u << axis;
    }
    return code;
}

enum hy_code hy_reverse_read(const struct hy_call *call, struct hy_slice *slice,
                             struct hy_error *err)
{
    struct hy_slice read = {.in = hy_call_input(call, 0)->shape};
    uint32_t axes = 0;

    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = read_axes(call, read.in.rank, &axes, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < read.in.rank; i++) {
        const bool is_reversed = axes >> i & 1 && read.in.dims[i] > 0;
        read.size[i] = read.in.dims[i];
        read.stride[i] = is_reversed ? -1 : 1;
        read.begin[i] = is_reversed ? read.in.dims[i] - 1 : 0;
    }
    read.out = read.in;
    *slice = read;
    return HY_OK;
}

/* The arguments of STRIDED_SLICE for one dimension. */
struct range {
    int32_t begin, stride;
    int64_t end;
    bool from_edge, to_edge, shrinks; /* bits of the three masks */
};

/* Counts from the end if below 0, and clamps the result to a valid begin or end. */
static int64_t clamp_index(int64_t index, int64_t extent, int32_t stride)
{
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? extent : extent - 1;

    if (index < 0)
        index += extent;
    return index < low ? low : index > high ? high : index;
}

/* A single element of dimension `i`, which is removed. */
static enum hy_code read_element(const struct range *range, uint32_t i, struct hy_slice *slice,
                                 struct hy_error *err)
{
    const int64_t extent = slice->in.dims[i];
    const int64_t index = range->from_edge   ? 0
                          : range->begin < 0 ? range->begin + extent
                                             : range->begin;

    if (index < 0 || index >= extent)
        return hy_fail(err, HY_FAILED,
                       "element %d of dimension %u does not exist, the dimension has %lld",
                       range->begin, i, (long long)extent);
    slice->begin[i] = (uint32_t)index;
    slice->size[i] = 1;
    slice->stride[i] = 1;
    return HY_OK;
}

/* Resolves dimension `i`. */
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
        return hy_fail(err, HY_FAILED, "dimension %u cannot be dropped: %lld elements, stride %d",
                       i, (long long)size, range->stride);
    slice->begin[i] = size > 0 ? (uint32_t)begin : 0;
    slice->size[i] = (uint32_t)size;
    slice->stride[i] = range->stride;
    if (!range->shrinks)
        slice->out.dims[slice->out.rank++] = (uint32_t)size;
    return HY_OK;
}

/* The three lists and the masks of STRIDED_SLICE. NNAPI requires an entry for each dimension. */
struct slice_spec {
    uint32_t count;
    int32_t begin[HY_MAX_RANK], end[HY_MAX_RANK], stride[HY_MAX_RANK];
    int32_t begin_mask, end_mask, shrink_mask, ellipsis_mask, new_axis_mask;
    bool end_is_offset;
};

static enum hy_code read_spec(const struct hy_call *call, uint32_t rank, struct slice_spec *spec,
                              struct hy_error *err)
{
    const bool is_extension = hy_call_is_extension(call);
    int32_t *lists[] = {spec->begin, spec->end, spec->stride};
    int32_t *masks[] = {&spec->begin_mask, &spec->end_mask, &spec->shrink_mask,
                        &spec->ellipsis_mask, &spec->new_axis_mask};
    enum hy_code code = HY_OK;

    *spec = (struct slice_spec){.count = rank};
    if (is_extension) {
        code = hy_call_check_rank(call, 1, 1, 1, err);
        spec->count = hy_call_input(call, 1)->shape.dims[0];
        if (code == HY_OK && spec->count > HY_MAX_RANK)
            code = hy_fail(err, HY_FAILED, "%u entries, at most %u", spec->count, HY_MAX_RANK);
    }
    for (uint32_t i = 0; i < 3 && code == HY_OK; i++)
        code = hy_call_int_list(call, 1 + i, spec->count, lists[i], err);
    for (uint32_t i = 0; i < (is_extension ? 5 : 3) && code == HY_OK; i++)
        code = hy_call_int(call, 4 + i, masks[i], err);
    if (is_extension && code == HY_OK)
        code = hy_call_bool(call, 9, &spec->end_is_offset, err);
    return code;
}

/* Number of dimensions with an entry; the ellipsis stands for the other dimensions. */
static uint32_t count_named(const struct slice_spec *spec)
{
    const uint32_t entries = (1u << spec->count) - 1;
    const uint32_t others = (uint32_t)(spec->ellipsis_mask | spec->new_axis_mask) & entries;
    uint32_t named = 0;

    for (uint32_t i = 0; i < spec->count; i++)
        named += !(others >> i & 1);
    return named;
}

static void select_whole(struct hy_slice *slice, uint32_t *dim, uint32_t count)
{
    for (const uint32_t end = *dim + count; *dim < end; ++*dim) {
        slice->size[*dim] = slice->in.dims[*dim];
        slice->stride[*dim] = 1;
        slice->out.dims[slice->out.rank++] = slice->in.dims[*dim];
    }
}

static enum hy_code read_entry(const struct slice_spec *spec, uint32_t entry, uint32_t dim,
                               bool shrinks_by_begin, struct hy_slice *slice, struct hy_error *err)
{
    const struct range range = {
        .begin = spec->begin[entry],
        .end = (spec->end_is_offset ? spec->begin[entry] : 0) + (int64_t)spec->end[entry],
        .stride = spec->stride[entry],
        .from_edge = spec->begin_mask >> entry & 1,
        .to_edge = spec->end_mask >> entry & 1,
        .shrinks = spec->shrink_mask >> entry & 1,
    };

    return range.shrinks && shrinks_by_begin ? read_element(&range, dim, slice, err)
                                             : read_range(&range, dim, slice, err);
}

enum hy_code hy_strided_slice_read(const struct hy_call *call, struct hy_slice *slice,
                                   struct hy_error *err)
{
    struct hy_slice read = {.in = hy_call_input(call, 0)->shape};
    struct slice_spec spec;
    uint32_t dim = 0;

    enum hy_code code = hy_call_check_data(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = read_spec(call, read.in.rank, &spec, err);
    if (code != HY_OK)
        return code;
    const uint32_t named = count_named(&spec);
    if (named > read.in.rank || spec.count - named + read.in.rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "%u entries do not fit a tensor of rank %u", spec.count,
                       read.in.rank);
    uint32_t whole = read.in.rank - named;
    for (uint32_t i = 0; i < spec.count && code == HY_OK; i++) {
        if (spec.ellipsis_mask >> i & 1) {
            select_whole(&read, &dim, whole);
            whole = 0;
        } else if (spec.new_axis_mask >> i & 1) {
            read.out.dims[read.out.rank++] = 1;
        } else {
            code = read_entry(&spec, i, dim++, hy_call_is_extension(call), &read, err);
        }
    }
    if (code != HY_OK)
        return code;
    select_whole(&read, &dim, whole);
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

enum hy_code hy_update_slice_check(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    const struct hy_shape *update = &hy_call_input(call, 1)->shape;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, in->rank, in->rank, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 2, &(struct hy_shape){1, {in->rank}}, err);
    for (uint32_t i = 0; i < in->rank && code == HY_OK; i++)
        if (update->dims[i] > in->dims[i])
            code = hy_fail(err, HY_FAILED, "dimension %u has extent %u, in the update %u", i,
                           in->dims[i], update->dims[i]);
    return code;
}

enum hy_code hy_infer_dynamic_update_slice(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err)
{
    outputs[0] = hy_call_input(call, 0)->shape;
    return hy_update_slice_check(call, err);
}
