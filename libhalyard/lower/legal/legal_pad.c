#include "libhalyard/lower/legal/legal_rules.h"

/* The paddings of the current node, rows of (before, after); false if they are unknown. */
static bool read_paddings(const struct hy_legaliser *legaliser,
                          int64_t paddings[2 * HY_GRAPH_MAX_RANK])
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const int64_t count = hy_legal_numbers(legaliser, 1, paddings, 2 * HY_GRAPH_MAX_RANK);

    if (count != 2 * (int64_t)from.rank || to.rank != from.rank)
        return false;
    for (size_t i = 0; i < from.rank; i++) {
        const int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
        if (before < 0 || after < 0 || from.extents[i] + before + after != to.extents[i])
            return false;
    }
    return true;
}

/* The current node on the middle of three dimensions. */
static uint32_t pad_middle(struct hy_legaliser *legaliser, uint32_t tensor,
                           const struct hy_shape *to, const int64_t *paddings)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, tensor);
    const struct hy_shape rows = {.rank = 2, .extents = {3, 2}};
    int32_t *numbers = hy_legal_memory(legaliser, 6, sizeof *numbers);

    if (!numbers)
        return 0;
    numbers[2] = (int32_t)paddings[0];
    numbers[3] = (int32_t)paddings[1];
    const uint32_t inputs[3] = {tensor, hy_legal_int_tensor(legaliser, &rows, numbers),
                                hy_graph_node_input(node, 2)};
    const uint32_t count = node->input_count < 3 ? node->input_count : 3;
    return hy_legal_node(legaliser, node->operator_, &node->attributes, inputs, count, &from, to);
}

static uint32_t count_padded(const int64_t *paddings, uint32_t rank)
{
    uint32_t count = 0;
    for (size_t i = 0; i < rank; i++)
        count += paddings[2 * i] > 0 || paddings[2 * i + 1] > 0;
    return count;
}

/* The only growing dimension, between the merged dimensions before and after it. */
static void pad_one(struct hy_legaliser *legaliser, const int64_t *paddings)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    uint32_t tensor = legaliser->node->inputs[0];

    const int64_t *own = paddings;
    for (uint32_t i = 0; i < from.rank; i++, own += 2) {
        if (own[0] == 0 && own[1] == 0)
            continue;
        struct hy_shape around = hy_legal_around(&shape, i);
        const uint32_t flat = hy_legal_reshape(legaliser, tensor, &around);
        around.extents[1] += (int32_t)(own[0] + own[1]);
        tensor = pad_middle(legaliser, flat, &around, own);
    }
    hy_legal_give(legaliser, tensor, 0);
}

/* NNAPI pads four dimensions; the extension pads several of more at once. */
bool hy_legalise_pad(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    int64_t paddings[2 * HY_GRAPH_MAX_RANK];

    if (from.is_whole || (from.rank > 0 && from.rank <= HY_LEGAL_RANK) ||
        !read_paddings(legaliser, paddings))
        return false;
    if (count_padded(paddings, from.rank) > 1)
        return hy_legalise_any_rank(legaliser);
    pad_one(legaliser, paddings);
    return true;
}
