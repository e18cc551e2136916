#include "libhalyard/lower/legal/legal_rules.h"

/* ---- CONCATENATION --------------------------------------------------------------------------- */

/* The inputs that have elements, in a shape of three dimensions; the count. */
static uint32_t flatten_parts(struct hy_legaliser *legaliser, uint32_t axis, uint32_t *parts,
                              int32_t *extents)
{
    const struct hy_graph_node *node = legaliser->node;
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct hy_graph_tensor part = hy_legal_input(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&part);
        if (hy_legal_elements(&shape) == 0)
            continue;
        const struct hy_shape around = hy_legal_around(&shape, axis);
        extents[count] = around.extents[1];
        parts[count++] = hy_legal_reshape(legaliser, node->inputs[i], &around);
    }
    return count;
}

/* Indices 0, 1, ... of a part, and the last one again up to `length`. */
static uint32_t stretch(struct hy_legaliser *legaliser, uint32_t part, int32_t extent,
                        int32_t length)
{
    const struct hy_shape list = {.rank = 1, .extents = {length}};
    int32_t *indices = hy_legal_memory(legaliser, (uint64_t)length, sizeof *indices);

    for (int32_t i = 0; indices && i < length; i++)
        indices[i] = i < extent ? i : extent - 1;
    return hy_legal_gather(legaliser, part, 1, hy_legal_int_tensor(legaliser, &list, indices),
                           length);
}

/* NNAPI packs integers, and joins none: parts of one length are packed, and what the parts were
 * stretched by is left out. */
static void join_integers(struct hy_legaliser *legaliser, uint32_t *parts, const int32_t *extents,
                          uint32_t count)
{
    const union hy_attributes axis = {.axis = {.axis = 1}};
    const struct hy_graph_tensor like = hy_legal_tensor(legaliser, parts[0]);
    int32_t longest = 0, sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        longest = extents[i] > longest ? extents[i] : longest;
        sum += extents[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (extents[i] < longest)
            parts[i] = stretch(legaliser, parts[i], extents[i], longest);
    }
    const struct hy_shape packed = {
        .rank = 4, .extents = {like.extents[0], (int32_t)count, longest, like.extents[2]}};
    const struct hy_shape joined = {
        .rank = 3, .extents = {like.extents[0], (int32_t)count * longest, like.extents[2]}};
    uint32_t whole =
        hy_legal_node(legaliser, HY_OPERATOR_PACK, &axis, parts, count, &like, &packed);
    whole = hy_legal_reshape(legaliser, whole, &joined);
    if (sum < joined.extents[1]) {
        const struct hy_shape list = {.rank = 1, .extents = {sum}};
        int32_t *indices = hy_legal_memory(legaliser, (uint64_t)sum, sizeof *indices);
        for (uint32_t i = 0, next = 0; indices && i < count; i++) {
            for (int32_t j = 0; j < extents[i]; j++)
                indices[next++] = (int32_t)i * longest + j;
        }
        whole = hy_legal_gather(legaliser, whole, 1, hy_legal_int_tensor(legaliser, &list, indices),
                                sum);
    }
    hy_legal_give(legaliser, whole, 0);
}

static bool has_empty_input(const struct hy_legaliser *legaliser)
{
    for (uint32_t i = 0; i < legaliser->node->input_count; i++) {
        const struct hy_graph_tensor part = hy_legal_input(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&part);
        if (hy_legal_elements(&shape) == 0)
            return true;
    }
    return false;
}

/* Integers as long as the longest of them fit a tensor. */
static bool can_stretch(const struct hy_legaliser *legaliser, uint32_t axis)
{
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    int64_t elements = legaliser->node->input_count, longest = 0;

    for (uint32_t i = 0; i < legaliser->node->input_count; i++) {
        const int32_t extent = hy_legal_input(legaliser, i).extents[axis];
        longest = extent > longest ? extent : longest;
    }
    for (uint32_t i = 0; i < output.rank; i++) {
        elements *= i == axis ? longest : output.extents[i];
        if (elements > INT32_MAX)
            return false;
    }
    return true;
}

/* The output of one part alone has the same elements. */
static bool keeps_elements(const struct hy_legaliser *legaliser, uint32_t part)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, part);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);

    return legaliser->node->attributes.axis.activation == HY_ACTIVATION_NONE &&
           hy_same_quantisation(&from, &to);
}

bool hy_legalise_concatenation(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output);
    const struct hy_attributes_axis *attributes = &node->attributes.axis;
    const union hy_attributes middle = {.axis = {.axis = 1, .activation = attributes->activation}};
    uint32_t axis;

    if (!hy_legal_axis(attributes->axis, output.rank, &axis))
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (hy_legal_input(legaliser, i).rank != output.rank)
            return false;
    }
    if (hy_is_integer(&output) && !can_stretch(legaliser, axis))
        return false;
    if (output.rank <= HY_LEGAL_RANK && !hy_is_integer(&output) && !has_empty_input(legaliser))
        return false;
    uint32_t *parts = hy_legal_memory(legaliser, node->input_count, sizeof *parts);
    int32_t *extents = hy_legal_memory(legaliser, node->input_count, sizeof *extents);
    if (!parts || !extents)
        return true;
    const uint32_t count = flatten_parts(legaliser, axis, parts, extents);
    const struct hy_shape around = hy_legal_around(&shape, axis);
    if (count == 1 && keeps_elements(legaliser, parts[0]))
        hy_legal_give(legaliser, parts[0], 0);
    else if (hy_is_integer(&output))
        join_integers(legaliser, parts, extents, count);
    else
        hy_legal_give(legaliser,
                      hy_legal_node(legaliser, HY_OPERATOR_CONCATENATION, &middle, parts, count,
                                    &output, &around),
                      0);
    return true;
}

/* ---- PACK ------------------------------------------------------------------------------------ */

/* Scalars are joined, and more than three dimensions are two. */
bool hy_legalise_pack(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output);
    const union hy_attributes middle = {.axis = {.axis = 1}};
    uint32_t axis;

    if (!hy_legal_axis(node->attributes.axis.axis, output.rank, &axis) ||
        (output.rank > 1 && output.rank <= HY_LEGAL_RANK))
        return false;
    const struct hy_shape around = hy_legal_around(&shape, axis);
    const struct hy_shape flat = {.rank = 2, .extents = {around.extents[0], around.extents[2]}};
    uint32_t *parts = hy_legal_memory(legaliser, node->input_count, sizeof *parts);
    for (uint32_t i = 0; parts && i < node->input_count; i++)
        parts[i] = hy_legal_reshape(legaliser, node->inputs[i], &flat);
    hy_legal_give(legaliser,
                  hy_legal_node(legaliser, HY_OPERATOR_PACK, &middle, parts, node->input_count,
                                &output, &around),
                  0);
    return true;
}

/* ---- SPLIT, SPLIT_V, UNPACK ------------------------------------------------------------------ */

static bool fill_the_input(const struct hy_legaliser *legaliser, const struct hy_shape *shape)
{
    int64_t elements = 0;

    for (uint32_t i = 0; i < legaliser->node->output_count; i++) {
        const struct hy_graph_tensor output = hy_legal_output(legaliser, i);
        const struct hy_shape part = hy_legal_shape_of(&output);
        elements += hy_legal_elements(&part);
    }
    return elements == hy_legal_elements(shape);
}

/* The data input in three dimensions, cut into the outputs along the second; false where the
 * outputs together are not the input. */
static bool split_flat(struct hy_legaliser *legaliser, uint32_t input, uint32_t axis)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, input);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    struct hy_shape around = hy_legal_around(&shape, axis);
    int32_t begin[3] = {0};

    if (!fill_the_input(legaliser, &shape))
        return false;
    const uint32_t flat = hy_legal_reshape(legaliser, node->inputs[input], &around);
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct hy_graph_tensor output = hy_legal_output(legaliser, i);
        const struct hy_shape whole = hy_legal_shape_of(&output);
        around.extents[1] = hy_legal_elements(&whole) / (around.extents[0] * around.extents[2]);
        if (around.extents[1] > 0) {
            const uint32_t inputs[3] = {flat, hy_legal_ints(legaliser, begin, 3),
                                        hy_legal_ints(legaliser, around.extents, 3)};
            hy_legal_give(
                legaliser,
                hy_legal_node(legaliser, HY_OPERATOR_SLICE, NULL, inputs, 3, &from, &around), i);
        } else {
            hy_legal_give(legaliser, flat, i);
        }
        begin[1] += around.extents[1];
    }
    return true;
}

bool hy_legalise_split(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 1);
    uint32_t axis;

    if (from.rank <= HY_LEGAL_RANK || !hy_legal_axis_input(legaliser, 0, from.rank, &axis))
        return false;
    return split_flat(legaliser, 1, axis);
}

bool hy_legalise_split_v(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    uint32_t axis;

    if (!hy_legal_axis_input(legaliser, 2, from.rank, &axis))
        return false;
    return split_flat(legaliser, 0, axis);
}

bool hy_legalise_unpack(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    uint32_t axis;

    if (from.rank <= HY_LEGAL_RANK ||
        !hy_legal_axis(legaliser->node->attributes.axis.axis, from.rank, &axis))
        return false;
    return split_flat(legaliser, 0, axis);
}
