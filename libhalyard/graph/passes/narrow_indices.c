#include "libhalyard/graph/index_inputs.h"
#include "libhalyard/graph/passes/pass_visits.h"

/* Converters write indices as int64. Those that begin or end as int32 are int32 all the way: NNAPI
 * has operations for these. */

/* Operators whose results are indices or extents of either type, within 32 bits. */
static bool gives_indices(enum hy_operator operator_)
{
    return operator_ == HY_OPERATOR_ARG_MAX || operator_ == HY_OPERATOR_ARG_MIN ||
           operator_ == HY_OPERATOR_SHAPE || operator_ == HY_OPERATOR_WHERE;
}

static bool is_cast(const struct hy_uses *uses, uint32_t node, enum hy_element from,
                    enum hy_element to)
{
    return uses->graph->nodes[node].operator_ == HY_OPERATOR_CAST &&
           hy_uses_input(uses, node, 0)->element == from &&
           hy_uses_output(uses, node, 0)->element == to;
}

/* A CAST of what an operator of indices gives: the operator gives the result. */
static void give_narrow(struct hy_uses *uses, uint32_t node)
{
    const uint32_t before = hy_uses_sole_producer(uses, node, 0);

    if (before != HY_NO_NODE && gives_indices(uses->graph->nodes[before].operator_) &&
        is_cast(uses, node, HY_ELEMENT_INT64, HY_ELEMENT_INT32) &&
        hy_graph_tensor_same_shape(hy_uses_input(uses, node, 0), hy_uses_output(uses, node, 0)))
        hy_uses_merge(uses, before, node);
}

/* A CAST from int32 before indices is skipped. */
static enum hy_code use_narrow(struct hy_uses *uses, uint32_t node, struct hy_error *err)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    const uint32_t indices = hy_index_inputs_all(hy_index_inputs_of(of->operator_));
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < of->input_count && indices >> i; i++) {
        const uint32_t before = indices >> i & 1 ? hy_uses_producer(uses, node, i) : HY_NO_NODE;
        if (before != HY_NO_NODE && is_cast(uses, before, HY_ELEMENT_INT32, HY_ELEMENT_INT64))
            code = hy_uses_set_input(uses, node, i, uses->graph->nodes[before].inputs[0], err);
    }
    return code;
}

enum hy_code hy_narrow_indices(struct hy_uses *uses, uint32_t node, void *context,
                               struct hy_error *err)
{
    (void)context;
    const enum hy_code code = use_narrow(uses, node, err);
    if (code == HY_OK && uses->graph->nodes[node].operator_ == HY_OPERATOR_CAST)
        give_narrow(uses, node);
    return code;
}
