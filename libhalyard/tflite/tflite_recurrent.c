#include "libhalyard/tflite/tflite_recurrent.h"

/* The intermediate tensors of an LSTM: the sums of four gates, and the output before its
 * projection. */
enum { GATES = 4, HIDDEN = 4, INTERMEDIATES = 5 };

/* NULL if the operator lacks the intermediate tensor, or if the tensor does not have exactly one
 * scale. */
static const struct hy_tflite_quantisation *
quantisation_of(const struct hy_tflite_subgraph *subgraph,
                const struct hy_tflite_operator *operator_, uint32_t index)
{
    const struct hy_tflite_ints *intermediates = &operator_->intermediates;

    if (intermediates->values[index] < 0)
        return NULL;
    const struct hy_tflite_quantisation *quantisation =
        &subgraph->tensors[intermediates->values[index]].quantisation;
    return quantisation->count == 1 ? quantisation : NULL;
}

void hy_tflite_set_intermediates(const struct hy_tflite_subgraph *subgraph,
                                 const struct hy_tflite_operator *operator_,
                                 struct hy_graph_node *node)
{
    const bool is_lstm = node->operator_ == HY_OPERATOR_LSTM ||
                         node->operator_ == HY_OPERATOR_UNIDIRECTIONAL_SEQUENCE_LSTM;

    /* A cell with a state of 8 bits has more of them, with another meaning. */
    if (!is_lstm || operator_->intermediates.count != INTERMEDIATES)
        return;
    struct hy_lstm_intermediates *to = &node->attributes.lstm.intermediates;
    for (uint32_t gate = 0; gate < GATES; gate++) {
        const struct hy_tflite_quantisation *sums = quantisation_of(subgraph, operator_, gate);
        to->gate_scales[gate] = sums ? sums->scales[0] : 0.0f;
    }
    const struct hy_tflite_quantisation *hidden = quantisation_of(subgraph, operator_, HIDDEN);
    if (hidden) {
        to->hidden_scale = hidden->scales[0];
        to->hidden_zero_point = hidden->zero_points[0];
    }
}
