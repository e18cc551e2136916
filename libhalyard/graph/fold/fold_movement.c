#include "libhalyard/graph/fold/folding.h"

#include <string.h>

#include "libhalyard/graph/strided_slice.h"

/* Elements that a folded constant has at most: shapes, indices, small tables. A file may move a
 * large constant as often as it likes. */
enum { MOST_ELEMENTS = 1 << 16 };

static size_t element_size(const struct hy_graph_tensor *tensor)
{
    return hy_element_bits(tensor->element) / 8;
}

/* True for a dense constant of the output's type with all its bytes. */
static bool is_movable(const struct hy_folding *folding, const struct hy_graph_tensor *from)
{
    uint64_t elements;
    return from->data && !from->sparsity && from->element == hy_folding_output(folding)->element &&
           element_size(from) > 0 && hy_graph_tensor_elements(from, &elements) &&
           from->bytes == elements * element_size(from);
}

/* ---- Positions defined by steps -------------------------------------------------------------- */

/* Element (i0, i1, ...) of the output is element base + i0 * steps[0] + ... of the input. */
struct strided_source {
    int64_t base;
    int64_t steps[HY_GRAPH_MAX_RANK];
};

/* The distance of neighbours along each dimension. */
static void steps_of(const struct hy_graph_tensor *tensor, int64_t steps[HY_GRAPH_MAX_RANK])
{
    int64_t step = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        steps[i] = step;
        step *= tensor->extents[i];
    }
}

static bool move(struct hy_folding *folding, const struct hy_graph_tensor *from,
                 const struct strided_source *strided_source)
{
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    const size_t size = element_size(from);
    const uint64_t available = from->bytes / size;

    if (folding->elements > MOST_ELEMENTS)
        return false;
    char *made = hy_folding_make(folding);
    for (uint64_t i = 0; made && i < folding->elements; i++) {
        int64_t position = strided_source->base, rest = (int64_t)i;
        for (uint32_t j = to->rank; j-- > 0;) {
            position += rest % to->extents[j] * strided_source->steps[j];
            rest /= to->extents[j];
        }
        if (position < 0 || (uint64_t)position >= available)
            return false;
        memcpy(made + i * size, (const char *)from->data + (size_t)position * size, size);
    }
    return made != NULL;
}

bool hy_fold_transpose(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    int64_t order[HY_GRAPH_MAX_RANK], steps[HY_GRAPH_MAX_RANK];
    struct strided_source strided_source = {0};

    if (!is_movable(folding, from) || hy_folding_output(folding)->rank != from->rank ||
        hy_constant_ints(hy_folding_input(folding, 1), order, HY_GRAPH_MAX_RANK) !=
            (int64_t)from->rank)
        return false;
    steps_of(from, steps);
    for (uint32_t i = 0; i < from->rank; i++) {
        const int64_t axis = order[i] + (order[i] < 0 ? (int64_t)from->rank : 0);
        if (axis < 0 || axis >= (int64_t)from->rank)
            return false;
        strided_source.steps[i] = steps[axis];
    }
    return move(folding, from, &strided_source);
}

bool hy_fold_reverse(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_constant_ints(hy_folding_input(folding, 1), axes, HY_GRAPH_MAX_RANK);
    struct strided_source strided_source = {0};

    if (!is_movable(folding, from) || hy_folding_output(folding)->rank != from->rank || count < 0)
        return false;
    steps_of(from, strided_source.steps);
    for (int64_t i = 0; i < count; i++) {
        const int64_t axis = axes[i] + (axes[i] < 0 ? (int64_t)from->rank : 0);
        if (axis < 0 || axis >= (int64_t)from->rank || strided_source.steps[axis] < 0)
            return false;
        strided_source.base += (from->extents[axis] - 1) * strided_source.steps[axis];
        strided_source.steps[axis] = -strided_source.steps[axis];
    }
    return move(folding, from, &strided_source);
}

bool hy_fold_broadcast_to(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    int64_t steps[HY_GRAPH_MAX_RANK] = {0};
    struct strided_source strided_source = {0};

    if (!is_movable(folding, from) || from->rank > to->rank)
        return false;
    steps_of(from, steps);
    for (uint32_t i = 0; i < from->rank; i++) {
        const uint32_t at = to->rank - from->rank + i;
        if (from->extents[i] != 1 && from->extents[i] != to->extents[at])
            return false;
        strided_source.steps[at] = from->extents[i] == 1 ? 0 : steps[i];
    }
    return move(folding, from, &strided_source);
}

bool hy_fold_slice(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    int64_t begin[HY_GRAPH_MAX_RANK];
    struct strided_source strided_source = {0};

    if (!is_movable(folding, from) || to->rank != from->rank ||
        hy_constant_ints(hy_folding_input(folding, 1), begin, HY_GRAPH_MAX_RANK) !=
            (int64_t)from->rank)
        return false;
    steps_of(from, strided_source.steps);
    for (uint32_t i = 0; i < from->rank; i++) {
        if (begin[i] < 0 || begin[i] > from->extents[i] - to->extents[i])
            return false;
        strided_source.base += begin[i] * strided_source.steps[i];
    }
    return move(folding, from, &strided_source);
}

/* Dimensions with a single index are no dimensions of the output; new dimensions have one
 * element. */
bool hy_fold_strided_slice(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    struct hy_strided_slice slice;
    int64_t steps[HY_GRAPH_MAX_RANK] = {0};
    struct strided_source strided_source = {0};
    uint32_t next = 0;

    if (!is_movable(folding, from) ||
        !hy_strided_slice_resolve(folding->graph, folding->node, &slice) ||
        slice.output_rank != to->rank)
        return false;
    steps_of(from, steps);
    for (uint32_t i = 0; i < slice.rank; i++) {
        strided_source.base += slice.begin[i] * steps[i];
        if (slice.count[i] == 1)
            continue;
        while (next < to->rank && to->extents[next] == 1)
            next++;
        if (next == to->rank || to->extents[next] != slice.count[i])
            return false;
        strided_source.steps[next++] = slice.stride[i] * steps[i];
    }
    return move(folding, from, &strided_source);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The part of the input from `begin` on along an axis; without the axis where the output is. */
static bool copy_part(struct hy_folding *folding, const struct hy_graph_tensor *from, uint32_t axis,
                      int64_t begin)
{
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    const bool drops = to->rank + 1 == from->rank;
    int64_t steps[HY_GRAPH_MAX_RANK] = {0};
    struct strided_source strided_source = {0};

    if (!is_movable(folding, from) || (!drops && to->rank != from->rank))
        return false;
    steps_of(from, steps);
    strided_source.base = begin * steps[axis];
    for (uint32_t i = 0, next = 0; i < from->rank; i++) {
        if (!drops || i != axis)
            strided_source.steps[next++] = steps[i];
    }
    return move(folding, from, &strided_source);
}

static bool axis_of(int64_t axis, uint32_t rank, uint32_t *ret_axis)
{
    axis += axis < 0 ? (int64_t)rank : 0;
    *ret_axis = (uint32_t)axis;
    return axis >= 0 && axis < (int64_t)rank;
}

bool hy_fold_unpack(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    uint32_t axis;

    return axis_of(folding->node->attributes.axis.axis, from->rank, &axis) &&
           hy_folding_output(folding)->rank + 1 == from->rank &&
           copy_part(folding, from, axis, folding->output);
}

/* The sum of extents of the earlier outputs along an axis. */
static int64_t extents_before(const struct hy_folding *folding, uint32_t axis)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < folding->output; i++) {
        const struct hy_graph_tensor *part = &folding->graph->tensors[folding->node->outputs[i]];
        sum += axis < part->rank ? part->extents[axis] : 0;
    }
    return sum;
}

static bool split_along(struct hy_folding *folding, uint32_t data, uint32_t axis_input)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, data);
    int64_t axis;
    uint32_t at;

    return hy_constant_int(hy_folding_input(folding, axis_input), &axis) &&
           axis_of(axis, from->rank, &at) && hy_folding_output(folding)->rank == from->rank &&
           copy_part(folding, from, at, extents_before(folding, at));
}

bool hy_fold_split(struct hy_folding *folding)
{
    return split_along(folding, 1, 0);
}

bool hy_fold_split_v(struct hy_folding *folding)
{
    return split_along(folding, 0, 2);
}

/* ---- Several inputs, and positions defined by indices ---------------------------------------- */

/* Parts of `lengths` elements in a row each, over and over. */
static bool join(struct hy_folding *folding, int64_t inner, uint32_t axis)
{
    const struct hy_graph_node *node = folding->node;
    const size_t size = element_size(hy_folding_output(folding));
    uint64_t done = 0, joined = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!is_movable(folding, hy_folding_input(folding, i)))
            return false;
        joined += hy_folding_input(folding, i)->bytes;
    }
    if (joined != folding->bytes)
        return false;
    char *made = hy_folding_make(folding);
    for (uint64_t round = 0; made && done < folding->bytes; round++) {
        for (uint32_t i = 0; i < node->input_count; i++) {
            const struct hy_graph_tensor *part = hy_folding_input(folding, i);
            const int64_t extent = node->operator_ == HY_OPERATOR_PACK ? 1 : part->extents[axis];
            const uint64_t bytes = (uint64_t)(inner * extent) * size;
            if (bytes == 0)
                continue;
            if ((round + 1) * bytes > part->bytes)
                return false;
            memcpy(made + done, (const char *)part->data + round * bytes, bytes);
            done += bytes;
        }
    }
    return made != NULL;
}

static bool join_along(struct hy_folding *folding)
{
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    int64_t inner = 1;
    uint32_t axis;

    if (!axis_of(folding->node->attributes.axis.axis, to->rank, &axis) ||
        folding->elements > MOST_ELEMENTS)
        return false;
    for (uint32_t i = axis + 1; i < to->rank; i++)
        inner *= to->extents[i];
    return join(folding, inner, axis);
}

bool hy_fold_concatenation(struct hy_folding *folding)
{
    const struct hy_graph_tensor *to = hy_folding_output(folding);

    if (folding->node->attributes.axis.activation != HY_ACTIVATION_NONE ||
        to->quantisation.count != 0)
        return false;
    for (uint32_t i = 0; i < folding->node->input_count; i++) {
        if (hy_folding_input(folding, i)->rank != to->rank)
            return false;
    }
    return join_along(folding);
}

bool hy_fold_pack(struct hy_folding *folding)
{
    return join_along(folding);
}

/* Slices along an axis. */
bool hy_fold_gather(struct hy_folding *folding)
{
    const struct hy_attributes_gather *attributes = &folding->node->attributes.gather;
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    struct hy_folding_numbers indices;
    int64_t inner = 1, outer = 1;
    uint32_t axis;

    if (attributes->batch_dimensions != 0 || !is_movable(folding, from) ||
        !axis_of(attributes->axis, from->rank, &axis) || !hy_folding_read(folding, 1, &indices))
        return false;
    for (uint32_t i = 0; i < from->rank; i++)
        *(i < axis ? &outer : &inner) *= i == axis ? 1 : from->extents[i];
    if ((uint64_t)(outer * inner * indices.count) != folding->elements ||
        folding->elements > MOST_ELEMENTS)
        return false;
    const size_t bytes = (size_t)inner * element_size(from);
    char *made = hy_folding_make(folding);
    for (int64_t i = 0; made && i < outer * indices.count; i++) {
        const int64_t index = indices.at[i % indices.count];
        if (index < 0 || index >= from->extents[axis])
            return false;
        memcpy(made + (size_t)i * bytes,
               (const char *)from->data +
                   (size_t)(i / indices.count * from->extents[axis] + index) * bytes,
               bytes);
    }
    return made != NULL;
}

/* The extents of the input are the lengths of the repetitions. */
bool hy_fold_tile(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    const size_t size = element_size(from);
    int64_t steps[HY_GRAPH_MAX_RANK];

    if (!is_movable(folding, from) || from->rank != to->rank || from->bytes == 0 ||
        folding->elements > MOST_ELEMENTS)
        return false;
    steps_of(from, steps);
    char *made = hy_folding_make(folding);
    for (uint64_t i = 0; made && i < folding->elements; i++) {
        int64_t position = 0, rest = (int64_t)i;
        for (uint32_t j = to->rank; j-- > 0;) {
            position += rest % to->extents[j] % from->extents[j] * steps[j];
            rest /= to->extents[j];
        }
        memcpy(made + i * size, (const char *)from->data + (size_t)position * size, size);
    }
    return made != NULL;
}

/* ---- One element over and over --------------------------------------------------------------- */

bool hy_fold_fill(struct hy_folding *folding)
{
    const struct hy_graph_tensor *value = hy_folding_input(folding, 1);

    return is_movable(folding, value) && value->bytes == element_size(value) &&
           folding->elements <= MOST_ELEMENTS && move(folding, value, &(struct strided_source){0});
}

bool hy_fold_zeros_like(struct hy_folding *folding)
{
    if (folding->elements > MOST_ELEMENTS || element_size(hy_folding_output(folding)) == 0)
        return false;
    void *made = hy_folding_make(folding);
    if (made)
        memset(made, 0, (size_t)folding->bytes);
    return made != NULL;
}
