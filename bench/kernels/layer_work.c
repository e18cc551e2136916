#include "bench/kernels/layer_work.h"

static double elements(const struct hy_graph_tensor *tensor)
{
    uint64_t count;
    return hy_graph_tensor_elements(tensor, &count) ? (double)count : 0;
}

static double last_extent(const struct hy_graph_tensor *tensor)
{
    return tensor->rank ? tensor->extents[tensor->rank - 1] : 1;
}

/* Gates of an LSTM, each with a row of weights for the inputs and one for the state. */
static double lstm_products(const struct hy_graph_tensor *input, double units)
{
    return elements(input) / last_extent(input) * 4 * units * (last_extent(input) + units);
}

static double products_of(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    if (node->input_count < 2)
        return 0;
    const struct hy_graph_tensor *input = &graph->tensors[node->inputs[0]];
    const struct hy_graph_tensor *output = &graph->tensors[node->outputs[0]];
    const struct hy_graph_tensor *filter = &graph->tensors[node->inputs[1]];

    switch (node->operator_) {
    case HY_OPERATOR_CONV_2D: /* filter [out, height, width, in / groups] */
    case HY_OPERATOR_FULLY_CONNECTED:
        return elements(output) * elements(filter) / filter->extents[0];
    case HY_OPERATOR_DEPTHWISE_CONV_2D: /* [1, height, width, out] */
        return elements(output) * elements(filter) / last_extent(filter);
    case HY_OPERATOR_TRANSPOSE_CONV_2D: /* each input meets the whole filter of its channel */
        return elements(input) * elements(filter) / last_extent(filter);
    case HY_OPERATOR_BATCH_MATMUL: {
        const bool turned = node->attributes.matmul.adjoint_a;
        return elements(output) * input->extents[input->rank - (turned ? 2 : 1)];
    }
    case HY_OPERATOR_LSTM:
    case HY_OPERATOR_UNIDIRECTIONAL_SEQUENCE_LSTM:
        return lstm_products(input, last_extent(output));
    default:
        return 0;
    }
}

static double bytes_of(const struct hy_graph_tensor *tensor)
{
    return elements(tensor) * hy_element_bits(tensor->element) / 8;
}

struct hy_layer_work hy_layer_work_of(const struct hy_graph *graph,
                                      const struct hy_graph_node *node)
{
    struct hy_layer_work work = {.products = products_of(graph, node)};

    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == HY_NO_TENSOR)
            continue;
        const struct hy_graph_tensor *tensor = &graph->tensors[node->inputs[i]];
        *(tensor->data ? &work.constant_bytes : &work.value_bytes) += bytes_of(tensor);
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        work.value_bytes += bytes_of(&graph->tensors[node->outputs[i]]);
    work.is_float = graph->tensors[node->outputs[0]].element == HY_ELEMENT_FLOAT32;
    return work;
}
