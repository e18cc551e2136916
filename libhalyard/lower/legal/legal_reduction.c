#include "libhalyard/lower/legal/legal_rules.h"

/* The dimensions, with neighbours merged if both are reduced or both stay. */
struct folded {
    struct hy_shape shape;
    uint32_t axis_count;
    int32_t axes[HY_GRAPH_MAX_RANK];
};

static struct folded fold_dimensions(const struct hy_shape *from, uint32_t goes)
{
    struct folded folded = {.shape = {.rank = 0}};
    bool before = false;

    for (uint32_t i = 0; i < from->rank; i++) {
        const bool own = goes >> i & 1;
        if (from->extents[i] == 1)
            continue;
        if (folded.shape.rank == 0 || own != before) {
            if (own)
                folded.axes[folded.axis_count++] = (int32_t)folded.shape.rank;
            folded.shape.extents[folded.shape.rank++] = 1;
        }
        before = own;
        folded.shape.extents[folded.shape.rank - 1] *= from->extents[i];
    }
    return folded;
}

/* The remaining dimensions, followed by the reduced dimensions, as a matrix. */
static uint32_t sort_dimensions(struct hy_legaliser *legaliser, struct folded *folded)
{
    const uint32_t rank = folded->shape.rank;
    const uint32_t tensor = hy_legal_reshape(legaliser, legaliser->node->inputs[0], &folded->shape);
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const uint32_t first = (uint32_t)folded->axes[0] == 0 ? 1 : 0; /* of those that stay */
    struct hy_shape sorted = {.rank = rank}, matrix = {.rank = 2, .extents = {1, 1}};
    int32_t order[HY_GRAPH_MAX_RANK];
    uint32_t next = 0;

    for (uint32_t way = 0; way < 2; way++) {
        for (uint32_t i = way == 0 ? first : 1 - first; i < rank; i += 2) {
            order[next] = (int32_t)i;
            sorted.extents[next++] = folded->shape.extents[i];
            matrix.extents[way] *= folded->shape.extents[i];
        }
    }
    const uint32_t inputs[2] = {tensor, hy_legal_ints(legaliser, order, rank)};
    const uint32_t moved =
        hy_legal_node(legaliser, HY_OPERATOR_TRANSPOSE, NULL, inputs, 2, &from, &sorted);
    *folded = (struct folded){.shape = matrix, .axis_count = 1, .axes = {1}};
    return hy_legal_reshape(legaliser, moved, &matrix);
}

static bool reduced_dimensions(const struct hy_legaliser *legaliser, uint32_t rank,
                               uint32_t *ret_goes)
{
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_legal_numbers(legaliser, 1, axes, HY_GRAPH_MAX_RANK);

    *ret_goes = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!hy_legal_axis(axes[i], rank, &axis))
            return false;
        *ret_goes |= 1u << axis;
    }
    return count >= 0;
}

/* Of more than four dimensions, and of none. */
bool hy_legalise_reduce(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&input);
    const union hy_attributes attributes = {.reduce = {.keep_dimensions = true}};
    uint32_t goes;

    if (!reduced_dimensions(legaliser, input.rank, &goes) ||
        (goes != 0 && input.rank <= HY_LEGAL_RANK) || input.element != output.element)
        return false;
    struct folded folded = fold_dimensions(&shape, goes);
    if (folded.axis_count == 0) {
        hy_legal_give(legaliser, node->inputs[0], 0);
        return true;
    }
    const uint32_t tensor = folded.shape.rank > HY_LEGAL_RANK
                                ? sort_dimensions(legaliser, &folded)
                                : hy_legal_reshape(legaliser, node->inputs[0], &folded.shape);
    struct hy_shape result = folded.shape;
    for (uint32_t i = 0; i < folded.axis_count; i++)
        result.extents[folded.axes[i]] = 1;
    const uint32_t inputs[2] = {tensor, hy_legal_ints(legaliser, folded.axes, folded.axis_count)};
    hy_legal_give(
        legaliser,
        hy_legal_node(legaliser, node->operator_, &attributes, inputs, 2, &output, &result), 0);
    return true;
}

bool hy_legalise_arg_min_max(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&input);
    uint32_t axis;

    if (input.rank <= HY_LEGAL_RANK || !hy_legal_axis_input(legaliser, 1, input.rank, &axis))
        return false;
    const struct hy_shape around = hy_legal_around(&shape, axis);
    const struct hy_shape result = {.rank = 2, .extents = {around.extents[0], around.extents[2]}};
    const uint32_t inputs[2] = {hy_legal_reshape(legaliser, node->inputs[0], &around),
                                hy_legal_int(legaliser, 1)};
    hy_legal_give(legaliser,
                  hy_legal_node(legaliser, node->operator_, NULL, inputs, 2, &output, &result), 0);
    return true;
}

bool hy_legalise_topk(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&input);

    if (input.rank <= HY_LEGAL_RANK || node->output_count != 2 || node->input_count < 2 ||
        hy_legal_output(legaliser, 0).rank != input.rank ||
        hy_legal_output(legaliser, 1).rank != input.rank)
        return false;
    struct hy_shape around = hy_legal_around(&shape, input.rank - 1);
    around.rank = 2;
    const uint32_t inputs[2] = {hy_legal_reshape(legaliser, node->inputs[0], &around),
                                node->inputs[1]};
    uint32_t outputs[2];
    for (uint32_t i = 0; i < 2; i++) {
        const struct hy_graph_tensor output = hy_legal_output(legaliser, i);
        around.extents[1] = output.extents[output.rank - 1];
        outputs[i] = hy_legal_value(legaliser, &output, &around);
    }
    hy_legal_emit_list(legaliser, node->operator_, NULL, inputs, 2, outputs, 2);
    for (uint32_t i = 0; i < 2; i++)
        hy_legal_give(legaliser, outputs[i], i);
    return true;
}

/* Of more than four dimensions: along the middle one of three. */
bool hy_legalise_cumsum(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&input);
    uint32_t axis;

    if (input.rank <= HY_LEGAL_RANK || !hy_legal_axis_input(legaliser, 1, input.rank, &axis))
        return false;
    const struct hy_shape around = hy_legal_around(&shape, axis);
    const uint32_t inputs[2] = {hy_legal_reshape(legaliser, node->inputs[0], &around),
                                hy_legal_int(legaliser, 1)};
    hy_legal_give(
        legaliser,
        hy_legal_node(legaliser, node->operator_, &node->attributes, inputs, 2, &output, &around),
        0);
    return true;
}

/* Of more than four dimensions: rows of a matrix. */
bool hy_legalise_segments(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor ids = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&ids);
    const struct hy_shape rows = {.rank = 1, .extents = {hy_legal_elements(&shape)}};
    struct hy_shape matrix = {.rank = 2, .extents = {rows.extents[0], 1}};

    if (input.rank <= HY_LEGAL_RANK || ids.rank > input.rank || output.rank == 0)
        return false;
    for (uint32_t i = ids.rank; i < input.rank; i++)
        matrix.extents[1] *= input.extents[i];
    const struct hy_shape result = {.rank = 2, .extents = {output.extents[0], matrix.extents[1]}};
    const uint32_t inputs[3] = {hy_legal_reshape(legaliser, node->inputs[0], &matrix),
                                hy_legal_reshape(legaliser, node->inputs[1], &rows),
                                node->input_count > 2 ? node->inputs[2] : HY_NO_TENSOR};
    hy_legal_give(legaliser,
                  hy_legal_node(legaliser, node->operator_, NULL, inputs,
                                node->input_count < 3 ? node->input_count : 3, &output, &result),
                  0);
    return true;
}
