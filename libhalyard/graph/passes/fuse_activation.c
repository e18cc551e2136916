#include "libhalyard/graph/passes/pass_visits.h"

/* Where a node keeps its fused activation; NULL: the operator has none, or none of reals. */
static enum hy_activation *activation_of(struct hy_graph_node *node)
{
    switch (node->operator_) {
    case HY_OPERATOR_ADD:
    case HY_OPERATOR_DIV:
    case HY_OPERATOR_MUL:
    case HY_OPERATOR_SUB:
        return &node->attributes.binary.activation;
    case HY_OPERATOR_CONV_2D:
    case HY_OPERATOR_DEPTHWISE_CONV_2D:
    case HY_OPERATOR_TRANSPOSE_CONV_2D:
        return &node->attributes.conv.activation;
    case HY_OPERATOR_CONV_3D:
    case HY_OPERATOR_TRANSPOSE_CONV_3D:
        return &node->attributes.conv_3d.activation;
    case HY_OPERATOR_AVERAGE_POOL_2D:
    case HY_OPERATOR_L2_POOL_2D:
    case HY_OPERATOR_MAX_POOL_2D:
        return &node->attributes.pool.activation;
    case HY_OPERATOR_FULLY_CONNECTED:
        return &node->attributes.fully_connected.activation;
    default:
        return NULL;
    }
}

static enum hy_activation activation_that_is(enum hy_operator operator_)
{
    switch (operator_) {
    case HY_OPERATOR_RELU:
        return HY_ACTIVATION_RELU;
    case HY_OPERATOR_RELU1:
        return HY_ACTIVATION_RELU1;
    case HY_OPERATOR_RELU6:
        return HY_ACTIVATION_RELU6;
    default:
        return HY_ACTIVATION_NONE;
    }
}

/* Bounds of float32 are the same before and after; bounds of 8 bits are where both tensors have one
 * quantisation. */
static bool has_bounds(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_FLOAT32 ||
           ((tensor->element == HY_ELEMENT_INT8 || tensor->element == HY_ELEMENT_UINT8) &&
            tensor->quantisation.count == 1);
}

enum hy_code hy_fuse_activation(struct hy_uses *uses, uint32_t node, void *context,
                                struct hy_error *err)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    const enum hy_activation activation = activation_that_is(of->operator_);
    const uint32_t before = hy_uses_sole_producer(uses, node, 0);
    (void)context;
    (void)err;

    if (activation == HY_ACTIVATION_NONE || before == HY_NO_NODE || of->output_count != 1)
        return HY_OK;
    const struct hy_graph_tensor *from = hy_uses_input(uses, node, 0);
    const struct hy_graph_tensor *to = hy_uses_output(uses, node, 0);
    enum hy_activation *fused = activation_of(&uses->graph->nodes[before]);
    if (!fused || *fused != HY_ACTIVATION_NONE || !has_bounds(from) ||
        !hy_graph_tensor_same_type(from, to) || !hy_graph_tensor_same_shape(from, to))
        return HY_OK;
    *fused = activation;
    hy_uses_merge(uses, before, node);
    return HY_OK;
}
