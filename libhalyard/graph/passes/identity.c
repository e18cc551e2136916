#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/passes/pass_visits.h"
#include "libhalyard/graph/strided_slice.h"

/* The numbers of constant input `input` are all `number`. */
static bool is_all(const struct hy_uses *uses, uint32_t node, uint32_t input, int64_t number)
{
    int64_t numbers[2 * HY_GRAPH_MAX_RANK];
    const uint32_t tensor = hy_graph_node_input(&uses->graph->nodes[node], input);

    if (tensor == HY_NO_TENSOR)
        return false;
    const int64_t count =
        hy_constant_ints(&uses->graph->tensors[tensor], numbers, 2 * HY_GRAPH_MAX_RANK);
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] != number)
            return false;
    }
    return count >= 0;
}

static bool is_ascending(const struct hy_uses *uses, uint32_t node)
{
    const uint32_t tensor = hy_graph_node_input(&uses->graph->nodes[node], 1);
    int64_t order[HY_GRAPH_MAX_RANK];

    if (tensor == HY_NO_TENSOR)
        return false;
    const int64_t count = hy_constant_ints(&uses->graph->tensors[tensor], order, HY_GRAPH_MAX_RANK);
    for (int64_t i = 0; i < count; i++) {
        if (order[i] != i)
            return false;
    }
    return count >= 0;
}

static bool forwards_all(const struct hy_uses *uses, uint32_t node)
{
    struct hy_strided_slice slice;
    if (!hy_strided_slice_resolve(uses->graph, &uses->graph->nodes[node], &slice))
        return false;
    for (uint32_t i = 0; i < slice.rank; i++) {
        if (slice.stride[i] < 0) /* the same shape, but backwards */
            return false;
    }
    return true;
}

/* Of nodes whose output has the type and shape of input 0: the elements are the same, too. A sum
 * with 0 is none of these: -0 + 0 is 0. */
static bool preserves_elements(const struct hy_uses *uses, uint32_t node)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];

    switch (of->operator_) {
    case HY_OPERATOR_BITCAST:
    case HY_OPERATOR_BROADCAST_TO: /* between known shapes */
    case HY_OPERATOR_CAST:
    case HY_OPERATOR_EXPAND_DIMS:
    case HY_OPERATOR_QUANTIZE: /* by a factor of 1, exactly */
    case HY_OPERATOR_RESHAPE:
    case HY_OPERATOR_SLICE: /* between known shapes */
    case HY_OPERATOR_SQUEEZE:
        return true;
    case HY_OPERATOR_CONCATENATION:
        return of->input_count == 1 && of->attributes.axis.activation == HY_ACTIVATION_NONE;
    case HY_OPERATOR_MIRROR_PAD:
    case HY_OPERATOR_PAD:
    case HY_OPERATOR_PAD_V2:
        return is_all(uses, node, 1, 0);
    case HY_OPERATOR_STRIDED_SLICE:
        return forwards_all(uses, node);
    case HY_OPERATOR_TILE:
        return is_all(uses, node, 1, 1);
    case HY_OPERATOR_TRANSPOSE:
        return is_ascending(uses, node);
    default:
        return false;
    }
}

enum hy_code hy_remove_identity(struct hy_uses *uses, uint32_t node, void *context,
                                struct hy_error *err)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    uint64_t elements;
    (void)context;
    (void)err;

    if (of->output_count != 1 || hy_graph_node_input(of, 0) == HY_NO_TENSOR)
        return HY_OK;
    const struct hy_graph_tensor *from = hy_uses_input(uses, node, 0);
    const struct hy_graph_tensor *to = hy_uses_output(uses, node, 0);
    if (hy_graph_tensor_elements(from, &elements) && hy_graph_tensor_same_type(from, to) &&
        hy_graph_tensor_same_shape(from, to) && preserves_elements(uses, node))
        hy_uses_bypass(uses, node);
    return HY_OK;
}
