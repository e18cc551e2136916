#include "libhalyard/lower/legal/legal_rules.h"

#include <string.h>

/* ---- Broadcasts beyond rank 4 ---------------------------------------------------------------- */

/* The extents of a tensor, aligned at the end to `rank` dimensions. */
static void align(const struct hy_shape *shape, uint32_t rank, int32_t extents[HY_GRAPH_MAX_RANK])
{
    const uint32_t more = rank - shape->rank;
    for (uint32_t i = 0; i < rank; i++)
        extents[i] = i < more ? 1 : shape->extents[i - more];
}

/* Two shapes that broadcast, with neighbouring dimensions merged if both broadcast in the same
 * way. */
struct merged {
    uint32_t rank;
    int32_t a[HY_GRAPH_MAX_RANK], b[HY_GRAPH_MAX_RANK];
};

static struct merged merge(const struct hy_shape *first, const struct hy_shape *second,
                           uint32_t rank)
{
    int32_t a[HY_GRAPH_MAX_RANK], b[HY_GRAPH_MAX_RANK];
    struct merged merged = {.rank = 1, .a = {1}, .b = {1}};
    bool a_stretches = false, b_stretches = false;

    align(first, rank, a);
    align(second, rank, b);
    for (uint32_t i = 0; i < rank; i++) {
        if (a[i] == 1 && b[i] == 1)
            continue;
        const bool is_first = merged.a[merged.rank - 1] == 1 && merged.b[merged.rank - 1] == 1;
        if (!is_first && ((a[i] != b[i] && a[i] == 1) != a_stretches ||
                          (a[i] != b[i] && b[i] == 1) != b_stretches)) {
            merged.a[merged.rank] = merged.b[merged.rank] = 1;
            merged.rank++;
        }
        a_stretches = a[i] != b[i] && a[i] == 1;
        b_stretches = a[i] != b[i] && b[i] == 1;
        merged.a[merged.rank - 1] *= a[i];
        merged.b[merged.rank - 1] *= b[i];
    }
    return merged;
}

static struct hy_shape shape_of_list(uint32_t rank, const int32_t *extents)
{
    struct hy_shape shape = {.rank = rank};
    memcpy(shape.extents, extents, rank * sizeof *extents);
    return shape;
}

/* Both inputs in the shape of the output. */
static void broadcast_both(struct hy_legaliser *legaliser, const struct hy_shape *shape)
{
    const struct hy_graph_node *node = legaliser->node;
    uint32_t inputs[2];

    for (uint32_t i = 0; i < 2; i++)
        inputs[i] = hy_legal_broadcast(legaliser, node->inputs[i], shape);
    hy_legal_emit(legaliser, node->operator_, &node->attributes, inputs, 2, node->outputs[0]);
}

bool hy_legalise_broadcast_two(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    if (node->input_count < 2)
        return false;
    const struct hy_graph_tensor a = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor b = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape first = hy_legal_shape_of(&a), second = hy_legal_shape_of(&b);
    const struct hy_shape whole = hy_legal_shape_of(&output);

    if (output.rank <= HY_LEGAL_RANK || a.rank > output.rank || b.rank > output.rank ||
        hy_legal_same_shape(&first, &second) || hy_legal_elements(&first) == 1 ||
        hy_legal_elements(&second) == 1)
        return false;
    const struct merged merged = merge(&first, &second, output.rank);
    if (merged.rank > HY_LEGAL_RANK) {
        broadcast_both(legaliser, &whole);
        return true;
    }
    const struct hy_shape shapes[2] = {shape_of_list(merged.rank, merged.a),
                                       shape_of_list(merged.rank, merged.b)};
    struct hy_shape result = shapes[0];
    for (uint32_t i = 0; i < merged.rank; i++)
        result.extents[i] = merged.a[i] == 1 ? merged.b[i] : merged.a[i];
    const uint32_t inputs[2] = {hy_legal_reshape(legaliser, node->inputs[0], &shapes[0]),
                                hy_legal_reshape(legaliser, node->inputs[1], &shapes[1])};
    hy_legal_give(
        legaliser,
        hy_legal_node(legaliser, node->operator_, &node->attributes, inputs, 2, &output, &result),
        0);
    return true;
}

/* ---- Selections ------------------------------------------------------------------------------ */

/* The condition of SELECT may have one element per slice along the first dimension. */
static struct hy_shape condition_shape(const struct hy_legaliser *legaliser,
                                       const struct hy_shape *output)
{
    const struct hy_graph_tensor condition = hy_legal_input(legaliser, 0);
    struct hy_shape shape = hy_legal_shape_of(&condition);

    if (legaliser->node->operator_ != HY_OPERATOR_SELECT || condition.rank != 1 || output->rank < 2)
        return shape;
    shape.rank = output->rank;
    for (uint32_t i = 1; i < shape.rank; i++)
        shape.extents[i] = 1;
    return shape;
}

/* Beyond rank 4 all inputs get one shape, since merged dimensions do not broadcast. */
bool hy_legalise_select(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape whole = hy_legal_shape_of(&output);
    const struct hy_shape condition = condition_shape(legaliser, &whole);
    const bool is_deep = output.rank > HY_LEGAL_RANK;
    uint32_t inputs[3];
    bool is_legal = true;

    if (node->input_count != 3)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        const struct hy_graph_tensor input = hy_legal_input(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&input);
        is_legal = is_legal && ((i > 0 && !is_deep) ||
                                hy_legal_same_shape(&shape, is_deep ? &whole : &condition));
    }
    if (is_legal)
        return false;
    inputs[0] = hy_legal_reshape(legaliser, node->inputs[0], &condition);
    for (uint32_t i = 1; i < 3; i++)
        inputs[i] = node->inputs[i];
    for (uint32_t i = 0; is_deep && i < 3; i++)
        inputs[i] = hy_legal_broadcast(legaliser, inputs[i], &whole);
    hy_legal_emit(legaliser, HY_OPERATOR_SELECT_V2, NULL, inputs, 3, node->outputs[0]);
    return true;
}

/* ---- Along the last dimension ---------------------------------------------------------------- */

bool hy_legalise_last_axis(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor input = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&input);

    if (input.rank <= HY_LEGAL_RANK)
        return false;
    const struct hy_shape around = hy_legal_around(&shape, shape.rank - 1);
    const struct hy_shape matrix = {.rank = 2, .extents = {around.extents[0], around.extents[1]}};
    const uint32_t flat = hy_legal_reshape(legaliser, node->inputs[0], &matrix);
    hy_legal_give(
        legaliser,
        hy_legal_node(legaliser, node->operator_, &node->attributes, &flat, 1, &output, &matrix),
        0);
    return true;
}
