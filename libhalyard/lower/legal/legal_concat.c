#include "libhalyard/lower/legal/legal_rules.h"

/* ---- CONCATENATION --------------------------------------------------------------------------- */

/* The inputs that have elements, in a shape of three dimensions; the count. */
static uint32_t flatten_parts(struct hy_legaliser *legaliser, uint32_t axis, uint32_t *parts)
{
    const struct hy_graph_node *node = legaliser->node;
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct hy_graph_tensor part = hy_legal_input(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&part);
        if (hy_legal_elements(&shape) == 0)
            continue;
        const struct hy_shape around = hy_legal_around(&shape, axis);
        parts[count++] = hy_legal_reshape(legaliser, node->inputs[i], &around);
    }
    return count;
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

/* The output of one part alone has the same elements. */
static bool preserves_elements(const struct hy_legaliser *legaliser, uint32_t part)
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
    if (output.rank <= HY_LEGAL_RANK && !has_empty_input(legaliser))
        return false;
    uint32_t *parts = hy_legal_memory(legaliser, node->input_count, sizeof *parts);
    if (!parts)
        return true;
    const uint32_t count = flatten_parts(legaliser, axis, parts);
    const struct hy_shape around = hy_legal_around(&shape, axis);
    if (count == 1 && preserves_elements(legaliser, parts[0]))
        hy_legal_give(legaliser, parts[0], 0);
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
