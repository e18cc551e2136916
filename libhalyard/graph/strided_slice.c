#include "libhalyard/graph/strided_slice.h"

#include "libhalyard/graph/constant.h"

/* One entry of the specification. */
struct entry {
    int64_t begin, end, stride;
    bool begin_is_open, end_is_open, shrinks;
};

static bool append(struct hy_strided_slice *slice, int64_t extent)
{
    if (slice->output_rank == HY_GRAPH_MAX_RANK)
        return false;
    slice->output_extents[slice->output_rank++] = (int32_t)extent;
    return true;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The elements of the input's next dimension that an entry selects. */
static bool slice_dimension(struct hy_strided_slice *slice, const struct hy_graph_tensor *input,
                            const struct entry *entry)
{
    if (slice->rank == input->rank || entry->stride == 0)
        return false;
    const int64_t extent = input->extents[slice->rank];
    const bool forwards = entry->stride > 0;
    const int64_t low = forwards ? 0 : -1, high = forwards ? extent : extent - 1;
    int64_t begin = entry->begin + (entry->begin < 0 ? extent : 0);
    int64_t end = entry->end + (entry->end < 0 ? extent : 0);

    if (entry->shrinks) {
        if (begin < 0 || begin >= extent)
            return false;
        slice->begin[slice->rank] = (int32_t)begin;
        slice->count[slice->rank] = 1;
        slice->stride[slice->rank++] = 1;
        return true;
    }
    begin = entry->begin_is_open ? (forwards ? 0 : extent - 1) : clamp(begin, low, high);
    end = entry->end_is_open ? (forwards ? extent : -1) : clamp(end, low, high);
    const int64_t span = forwards ? end - begin : begin - end;
    const int64_t step = forwards ? entry->stride : -entry->stride;
    const int64_t count = span > 0 ? (span + step - 1) / step : 0;
    slice->begin[slice->rank] = (int32_t)begin;
    slice->count[slice->rank] = (int32_t)count;
    slice->stride[slice->rank++] = (int32_t)clamp(entry->stride, -INT32_MAX, INT32_MAX);
    return append(slice, count);
}

static bool has_bit(int32_t mask, uint32_t bit)
{
    return ((uint32_t)mask >> bit & 1) != 0;
}

/* Dimensions that the entries before an ellipsis, or the specification as a whole, leave over. */
static bool slice_whole_dimensions(struct hy_strided_slice *slice,
                                   const struct hy_graph_tensor *input, uint32_t left)
{
    static const struct entry whole = {.stride = 1, .begin_is_open = true, .end_is_open = true};
    while (slice->rank + left < input->rank) {
        if (!slice_dimension(slice, input, &whole))
            return false;
    }
    return true;
}

/* Entries from `from` on that stand for a dimension of the input. */
static uint32_t dimensions_from(const struct hy_attributes_strided_slice *attributes, uint32_t from,
                                uint32_t count)
{
    uint32_t dimensions = 0;
    for (uint32_t i = from; i < count; i++)
        dimensions += !has_bit(attributes->new_axis_mask, i);
    return dimensions;
}

bool hy_strided_slice_resolve(const struct hy_graph *graph, const struct hy_graph_node *node,
                              struct hy_strided_slice *out)
{
    const struct hy_attributes_strided_slice *attributes = &node->attributes.strided_slice;
    int64_t numbers[3][2 * HY_GRAPH_MAX_RANK];
    int64_t count = 0;

    if (node->input_count < 4 || node->inputs[0] == HY_NO_TENSOR)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t tensor = node->inputs[i + 1];
        if (tensor == HY_NO_TENSOR)
            return false;
        const int64_t listed =
            hy_constant_ints(&graph->tensors[tensor], numbers[i], 2 * HY_GRAPH_MAX_RANK);
        if (listed < 0 || (i > 0 && listed != count))
            return false;
        count = listed;
    }
    const struct hy_graph_tensor *input = &graph->tensors[node->inputs[0]];
    for (uint32_t i = 0; i < input->rank; i++) {
        if (input->extents[i] < 0)
            return false;
    }

    *out = (struct hy_strided_slice){0};
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        if (has_bit(attributes->ellipsis_mask, i)) {
            if (!slice_whole_dimensions(out, input,
                                        dimensions_from(attributes, i + 1, (uint32_t)count)))
                return false;
            continue;
        }
        if (has_bit(attributes->new_axis_mask, i)) {
            if (!append(out, 1))
                return false;
            continue;
        }
        const struct entry entry = {
            .begin = numbers[0][i],
            .end = numbers[1][i] + (attributes->end_is_offset ? numbers[0][i] : 0),
            .stride = numbers[2][i],
            .begin_is_open = has_bit(attributes->begin_mask, i),
            .end_is_open = has_bit(attributes->end_mask, i),
            .shrinks = has_bit(attributes->shrink_axis_mask, i),
        };
        if (!slice_dimension(out, input, &entry))
            return false;
    }
    return slice_whole_dimensions(out, input, 0);
}
