#include "libhalyard/lower/legal/legal_rules.h"

#include <string.h>

#include "libhalyard/graph/strided_slice.h"

bool hy_legalise_new_shape(struct hy_legaliser *legaliser)
{
    hy_legal_give(legaliser, legaliser->node->inputs[0], 0);
    return true;
}

/* ---- One dimension of many; several at once are for the extension ---------------------------- */

/* A tensor of `shape` in three dimensions; the middle dimension will have `extent` elements. */
static uint32_t around(struct hy_legaliser *legaliser, uint32_t tensor, struct hy_shape *shape,
                       uint32_t axis, int32_t extent)
{
    const struct hy_shape flat = hy_legal_around(shape, axis);
    shape->extents[axis] = extent;
    return hy_legal_reshape(legaliser, tensor, &flat);
}

/* The middle of three dimensions from `begin` on. */
static uint32_t slice_middle(struct hy_legaliser *legaliser, uint32_t tensor, int32_t extent,
                             int64_t begin)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    struct hy_shape shape = hy_legal_shape_of(&from);

    shape.extents[1] = extent;
    const uint32_t inputs[3] = {
        tensor, hy_legal_ints(legaliser, (const int32_t[]){0, (int32_t)begin, 0}, 3),
        hy_legal_ints(legaliser, shape.extents, 3)};
    return hy_legal_node(legaliser, HY_OPERATOR_SLICE, NULL, inputs, 3, &from, &shape);
}

static uint32_t stride_middle(struct hy_legaliser *legaliser, uint32_t tensor, int32_t extent,
                              int64_t begin, int64_t stride)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const int64_t past_end = begin + extent * stride;
    const int32_t around = 1 << 0 | 1 << 2; /* dimensions that stay whole */
    const union hy_attributes attributes = {
        .strided_slice = {.begin_mask = around, .end_mask = around | (past_end < 0 ? 1 << 1 : 0)}};
    struct hy_shape shape = hy_legal_shape_of(&from);

    if (stride == 1)
        return slice_middle(legaliser, tensor, extent, begin);
    const int32_t end = past_end > from.extents[1] ? from.extents[1] : (int32_t)past_end;
    const uint32_t inputs[4] = {
        tensor, hy_legal_ints(legaliser, (const int32_t[]){0, (int32_t)begin, 0}, 3),
        hy_legal_ints(legaliser, (const int32_t[]){0, end, 0}, 3),
        hy_legal_ints(legaliser, (const int32_t[]){1, (int32_t)stride, 1}, 3)};
    shape.extents[1] = extent;
    return hy_legal_node(legaliser, HY_OPERATOR_STRIDED_SLICE, &attributes, inputs, 4, &from,
                         &shape);
}

static uint32_t tile_middle(struct hy_legaliser *legaliser, uint32_t tensor, int32_t extent,
                            int64_t times)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    struct hy_shape shape = hy_legal_shape_of(&from);

    shape.extents[1] = extent;
    const uint32_t inputs[2] = {
        tensor, hy_legal_ints(legaliser, (const int32_t[]){1, (int32_t)times, 1}, 3)};
    return hy_legal_node(legaliser, HY_OPERATOR_TILE, NULL, inputs, 2, &from, &shape);
}

static uint32_t reverse_middle(struct hy_legaliser *legaliser, uint32_t tensor)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_shape shape = hy_legal_shape_of(&from);

    const uint32_t inputs[2] = {tensor, hy_legal_ints(legaliser, (const int32_t[]){1}, 1)};
    return hy_legal_node(legaliser, HY_OPERATOR_REVERSE, NULL, inputs, 2, &from, &shape);
}

/* ---- SLICE, STRIDED_SLICE -------------------------------------------------------------------- */

bool hy_legalise_slice(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t begin[HY_GRAPH_MAX_RANK];
    uint32_t tensor = node->inputs[0], cut = 0;

    if (from.is_whole || (from.rank > 0 && from.rank <= HY_LEGAL_RANK) ||
        output.rank != from.rank ||
        hy_legal_numbers(legaliser, 1, begin, HY_GRAPH_MAX_RANK) != (int64_t)from.rank)
        return false;
    for (uint32_t i = 0; i < from.rank; i++) {
        if (begin[i] < 0 || begin[i] + output.extents[i] > from.extents[i])
            return false;
        cut += output.extents[i] != from.extents[i];
    }
    if (cut > 1)
        return hy_legalise_any_rank(legaliser);
    for (uint32_t i = 0; i < from.rank; i++) {
        if (output.extents[i] != from.extents[i])
            tensor =
                slice_middle(legaliser, around(legaliser, tensor, &shape, i, output.extents[i]),
                             output.extents[i], begin[i]);
    }
    hy_legal_give(legaliser, tensor, 0);
    return true;
}

static bool is_cut(const struct hy_strided_slice *slice, const struct hy_graph_tensor *from,
                   uint32_t i)
{
    return slice->count[i] != from->extents[i] || (slice->stride[i] != 1 && slice->count[i] > 1);
}

bool hy_legalise_strided_slice(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    struct hy_shape shape = hy_legal_shape_of(&from);
    struct hy_strided_slice slice;
    uint32_t tensor = legaliser->node->inputs[0], cut = 0;

    if (from.is_whole || !hy_strided_slice_resolve(legaliser->graph, legaliser->node, &slice))
        return false;
    for (uint32_t i = 0; i < slice.rank; i++)
        cut += is_cut(&slice, &from, i);
    if (cut > 0 && from.rank <= HY_LEGAL_RANK)
        return false;
    if (cut > 1)
        return hy_legalise_any_rank(legaliser);
    for (uint32_t i = 0; i < slice.rank; i++) {
        if (is_cut(&slice, &from, i))
            tensor = stride_middle(legaliser, around(legaliser, tensor, &shape, i, slice.count[i]),
                                   slice.count[i], slice.begin[i], slice.stride[i]);
    }
    hy_legal_give(legaliser, tensor, 0);
    return true;
}

/* ---- More elements --------------------------------------------------------------------------- */

bool hy_legalise_tile(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t times[HY_GRAPH_MAX_RANK];
    uint32_t tensor = legaliser->node->inputs[0], repeated = 0;

    if (from.is_whole || (from.rank > 0 && from.rank <= HY_LEGAL_RANK) || to.rank != from.rank ||
        hy_legal_numbers(legaliser, 1, times, HY_GRAPH_MAX_RANK) != (int64_t)from.rank)
        return false;
    for (uint32_t i = 0; i < from.rank; i++) {
        if (times[i] < 1 || times[i] > INT32_MAX || from.extents[i] * times[i] != to.extents[i])
            return false;
        repeated += times[i] > 1;
    }
    if (repeated > 1)
        return hy_legalise_any_rank(legaliser);
    for (uint32_t i = 0; i < from.rank; i++) {
        if (times[i] > 1)
            tensor = tile_middle(legaliser, around(legaliser, tensor, &shape, i, to.extents[i]),
                                 to.extents[i], times[i]);
    }
    hy_legal_give(legaliser, tensor, 0);
    return true;
}

/* Stretched and unchanged dimensions, each merged with neighbours of the same kind. */
struct stretched {
    struct hy_shape shape;
    int32_t times[HY_GRAPH_MAX_RANK];
};

static void merge_stretched(const struct hy_shape *from, const struct hy_shape *to,
                            struct stretched *out)
{
    const uint32_t more = to->rank - from->rank;
    bool stretches = false;

    *out = (struct stretched){.shape = {.rank = 0}};
    for (uint32_t i = 0; i < to->rank; i++) {
        const int32_t own = i < more ? 1 : from->extents[i - more];
        if (to->extents[i] == 1)
            continue;
        if (out->shape.rank == 0 || (own != to->extents[i]) != stretches) {
            out->shape.extents[out->shape.rank] = 1;
            out->times[out->shape.rank++] = 1;
        }
        stretches = own != to->extents[i];
        if (stretches)
            out->times[out->shape.rank - 1] *= to->extents[i];
        else
            out->shape.extents[out->shape.rank - 1] *= own;
    }
}

static bool can_broadcast(const struct hy_shape *from, const struct hy_shape *to)
{
    if (from->rank > to->rank)
        return false;
    for (uint32_t i = 0; i < from->rank; i++) {
        const int32_t wanted = to->extents[to->rank - from->rank + i];
        if (from->extents[i] != wanted && from->extents[i] != 1)
            return false;
    }
    return true;
}

bool hy_legalise_broadcast_to(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape from = hy_legal_shape_of(&input), to = hy_legal_shape_of(&output);
    struct stretched merged;

    if (!can_broadcast(&from, &to))
        return false;
    merge_stretched(&from, &to, &merged);
    uint32_t tensor = legaliser->node->inputs[0];
    if (hy_legal_elements(&from) != hy_legal_elements(&to)) {
        struct hy_shape stretched = merged.shape;
        for (uint32_t i = 0; i < stretched.rank; i++)
            stretched.extents[i] *= merged.times[i];
        const uint32_t inputs[2] = {hy_legal_reshape(legaliser, tensor, &merged.shape),
                                    hy_legal_ints(legaliser, merged.times, merged.shape.rank)};
        tensor = hy_legal_node(legaliser, HY_OPERATOR_TILE, NULL, inputs, 2, &input, &stretched);
    }
    hy_legal_give(legaliser, tensor, 0);
    return true;
}

/* NNAPI fills with a constant float or int32. */
bool hy_legalise_fill(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor value = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output);
    const bool has_type =
        output.element == HY_ELEMENT_FLOAT32 || output.element == HY_ELEMENT_INT32;

    if (value.data && has_type && output.rank > 0 && output.rank <= HY_LEGAL_RANK)
        return false;
    hy_legal_give(legaliser, hy_legal_broadcast(legaliser, legaliser->node->inputs[1], &shape), 0);
    return true;
}

bool hy_legalise_zeros_like(struct hy_legaliser *legaliser)
{
    static const char zero[sizeof(int64_t)];
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output), one = {.rank = 0};

    if (hy_element_bits(output.element) > 8 * sizeof zero || hy_element_bits(output.element) < 8)
        return false;
    const uint32_t value = hy_legal_constant(legaliser, &output, &one, zero);
    const uint32_t inputs[2] = {hy_legal_ints(legaliser, shape.extents, shape.rank), value};
    hy_legal_emit(legaliser, HY_OPERATOR_FILL, NULL, inputs, 2, legaliser->node->outputs[0]);
    return true;
}

/* ---- Other places ---------------------------------------------------------------------------- */

/* NNAPI reverses one dimension, counted from 0; the extension reverses several. */
bool hy_legalise_reverse(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_legal_numbers(legaliser, 1, axes, HY_GRAPH_MAX_RANK);
    const bool is_legal = count > 1 || (count == 1 && axes[0] >= 0);
    uint32_t tensor = legaliser->node->inputs[0], axis;

    if (count < 0 || (is_legal && from.rank > 0 && from.rank <= HY_LEGAL_RANK))
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (!hy_legal_axis(axes[i], from.rank, &axis))
            return false;
    }
    for (int64_t i = 0; i < count; i++) {
        hy_legal_axis(axes[i], from.rank, &axis);
        tensor =
            reverse_middle(legaliser, around(legaliser, tensor, &shape, axis, shape.extents[axis]));
    }
    hy_legal_give(legaliser, tensor, 0);
    return true;
}

/* An order of dimensions without dimensions of one element, with neighbours merged if they stay
 * neighbours. */
static uint32_t merge_order(const struct hy_shape *from, const int64_t *order,
                            struct hy_shape *merged, int32_t *merged_order)
{
    uint32_t first[HY_GRAPH_MAX_RANK] = {0}; /* a group's first dimension */
    int32_t extents[HY_GRAPH_MAX_RANK];
    uint32_t groups = 0;
    int64_t last = -2; /* the last dimension of the newest group */

    for (uint32_t i = 0; i < from->rank; i++) {
        const int64_t at = order[i];
        if (from->extents[at] == 1)
            continue;
        int64_t next = last + 1; /* dimensions of one element lie between neighbours */
        while (next >= 0 && next < (int64_t)from->rank && next != at && from->extents[next] == 1)
            next++;
        if (groups == 0 || next != at) {
            first[groups] = (uint32_t)at;
            extents[groups++] = 1;
        }
        extents[groups - 1] *= from->extents[at];
        last = at;
    }
    for (uint32_t i = 0; i < groups; i++) { /* groups in the order of the input */
        uint32_t position = 0;
        for (uint32_t j = 0; j < groups; j++)
            position += first[j] < first[i];
        merged->extents[position] = extents[i];
        merged_order[i] = (int32_t)position;
    }
    merged->rank = groups;
    return groups;
}

static bool is_order(int64_t *order, int64_t count, uint32_t rank)
{
    uint32_t seen = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!hy_legal_axis(order[i], rank, &axis))
            return false;
        order[i] = axis;
        seen |= 1u << axis;
    }
    return count == (int64_t)rank && seen == (1u << rank) - 1;
}

bool hy_legalise_transpose(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t order[HY_GRAPH_MAX_RANK];
    int32_t merged_order[HY_GRAPH_MAX_RANK];
    struct hy_shape merged = {0}, result = {0};

    if (from.is_whole ||
        !is_order(order, hy_legal_numbers(legaliser, 1, order, HY_GRAPH_MAX_RANK), from.rank))
        return false;
    if (merge_order(&shape, order, &merged, merged_order) < 2) {
        hy_legal_give(legaliser, legaliser->node->inputs[0], 0);
        return true;
    }
    if (from.rank <= HY_LEGAL_RANK)
        return false;
    result.rank = merged.rank;
    for (uint32_t i = 0; i < merged.rank; i++)
        result.extents[i] = merged.extents[merged_order[i]];
    const uint32_t inputs[2] = {hy_legal_whole(legaliser, legaliser->node->inputs[0], &merged),
                                hy_legal_ints(legaliser, merged_order, merged.rank)};
    const uint32_t turned = hy_legal_whole_value(legaliser, &from, &result);
    hy_legal_emit(legaliser, HY_OPERATOR_TRANSPOSE, NULL, inputs, 2, turned);
    hy_legal_give(legaliser, turned, 0);
    return true;
}
