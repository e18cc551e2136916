#include "libhalyard/lower/legal/legal_rules.h"

/* An update without elements changes nothing. */
bool hy_legalise_dynamic_update_slice(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor update = hy_legal_input(legaliser, 1);

    if (!hy_graph_tensor_is_empty(&update))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, legaliser->node->inputs[0], 0);
    return true;
}

/* Without indices all elements are zeros, as they are stored. */
bool hy_legalise_scatter_nd(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape whole = hy_legal_shape_of(&output);
    const struct hy_shape row = {.rank = 1, .extents = {hy_legal_elements(&whole)}};
    static const char zero[sizeof(int64_t)];

    if (!hy_graph_tensor_is_empty(&indices))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, hy_legal_filled(legaliser, &output, &row, zero), 0);
    return true;
}
