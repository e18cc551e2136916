#include "libhalyard/lower/legal/legal_rules.h"

/* Operations of the extension accept tensors of any rank. */

static bool is_too_high(const struct hy_legaliser *legaliser, uint32_t tensor)
{
    const struct hy_graph_tensor of = hy_legal_tensor(legaliser, tensor);

    return of.rank > HY_LEGAL_RANK && !of.is_whole;
}

static bool has_high_tensors(const struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    bool found = false;

    for (uint32_t i = 0; i < node->input_count; i++)
        found |= is_too_high(legaliser, node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        found |= is_too_high(legaliser, node->outputs[i]);
    return found;
}

bool hy_legalise_any_rank(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    struct hy_arena *arena = &legaliser->graph->arena;

    if (!has_high_tensors(legaliser))
        return false;
    uint32_t *inputs = hy_arena_copy(arena, node->inputs, node->input_count, sizeof *inputs);
    uint32_t *outputs = hy_arena_copy(arena, node->outputs, node->output_count, sizeof *outputs);
    if (!inputs || !outputs) {
        legaliser->code = hy_fail(legaliser->err, HY_OUT_OF_MEMORY, "node of any rank");
        return true;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!is_too_high(legaliser, inputs[i]))
            continue;
        const struct hy_graph_tensor from = hy_legal_tensor(legaliser, inputs[i]);
        const struct hy_shape shape = hy_legal_shape_of(&from);
        inputs[i] = hy_legal_whole(legaliser, inputs[i], &shape);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct hy_graph_tensor to = hy_legal_output(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&to);
        outputs[i] = hy_legal_whole_value(legaliser, &to, &shape);
    }
    hy_legal_emit_list(legaliser, node->operator_, &node->attributes, inputs, node->input_count,
                       outputs, node->output_count);
    for (uint32_t i = 0; i < node->output_count; i++)
        hy_legal_give(legaliser, outputs[i], i);
    return true;
}

/* An update without elements changes nothing. */
bool hy_legalise_dynamic_update_slice(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor update = hy_legal_input(legaliser, 1);

    if (!hy_graph_tensor_is_empty(&update))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, legaliser->node->inputs[0], 0);
    return true;
}

/* Without indices all stored elements are zero. */
bool hy_legalise_scatter_nd(struct hy_legaliser *legaliser)
{
    static const char zero[sizeof(int64_t)];
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output);

    if (!hy_graph_tensor_is_empty(&indices))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, hy_legal_filled(legaliser, &output, &shape, zero), 0);
    return true;
}
