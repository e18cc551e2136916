#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

/* Inputs of RNN and UNIDIRECTIONAL_SEQUENCE_RNN, and of BIDIRECTIONAL_SEQUENCE_RNN. */
enum {
    WEIGHTS = 1, /* of the input, recurrent, bias */
    STATE = 4,
    BACKWARD_WEIGHTS = 5, /* the same */
    BACKWARD_STATE = 8,
    AUXILIARY = 9, /* the input of another layer */
    AUXILIARY_WEIGHTS = 10,
    AUXILIARY_WEIGHTS_END = 12,
};

static const uint32_t states[] = {STATE, BACKWARD_STATE};

static void expect_input(struct hy_lowering *lowering, uint32_t rank)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    hy_expect(lowering, input->element == HY_ELEMENT_FLOAT32, "the type of the input");
    hy_expect(lowering, input->rank == rank, "the rank of the input");
}

/* Weights, bias and state of one direction. */
static void push_cell(struct hy_lowering *lowering, uint32_t weights)
{
    hy_push_weights(lowering, weights);
    hy_push_weights(lowering, weights + 1);
    hy_push_input(lowering, weights + 2);
    hy_push_input(lowering, weights + STATE - WEIGHTS);
}

/* NNAPI's cells have no RELU1: here the operation RELU1 follows, for the output and the state. */
static void lower_relu1(struct hy_lowering *lowering, const uint32_t outputs[2])
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const uint32_t sums[2] = {hy_temporary_operand(lowering, output),
                              hy_temporary_operand(lowering, output)};

    hy_push_cell_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to_list(lowering, ANEURALNETWORKS_RNN, sums, 2);
    for (uint32_t i = 0; i < 2; i++) {
        hy_push(lowering, sums[i]);
        hy_emit_to(lowering, ANEURALNETWORKS_RELU1, outputs[i]);
    }
}

void hy_lower_rnn(struct hy_lowering *lowering)
{
    const enum hy_activation activation = lowering->node->attributes.rnn.activation;
    uint32_t outputs[2];

    expect_input(lowering, 2);
    hy_push_input(lowering, 0);
    push_cell(lowering, WEIGHTS);
    hy_state_outputs(lowering, 1, 1, &states[0], &outputs[0]);
    outputs[1] = hy_output_operand(lowering, 0);
    if (activation == HY_ACTIVATION_RELU1) {
        lower_relu1(lowering, outputs);
        return;
    }
    hy_push_cell_activation(lowering, activation);
    hy_emit_to_list(lowering, ANEURALNETWORKS_RNN, outputs, 2);
}

void hy_lower_unidirectional_sequence_rnn(struct hy_lowering *lowering)
{
    const struct hy_attributes_rnn *attributes = &lowering->node->attributes.rnn;

    expect_input(lowering, 3);
    hy_push_input(lowering, 0);
    push_cell(lowering, WEIGHTS);
    hy_push_cell_activation(lowering, attributes->activation);
    hy_push_int(lowering, attributes->time_major);
    uint32_t outputs[2] = {hy_output_operand(lowering, 0)};
    hy_state_outputs(lowering, 1, 1, &states[0], &outputs[1]);
    hy_emit_to_list(lowering, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, outputs, 2);
}

void hy_lower_bidirectional_sequence_rnn(struct hy_lowering *lowering)
{
    const struct hy_attributes_rnn *attributes = &lowering->node->attributes.rnn;
    uint32_t outputs[4], count = 0;

    expect_input(lowering, 3);
    hy_push_input(lowering, 0);
    push_cell(lowering, WEIGHTS);
    push_cell(lowering, BACKWARD_WEIGHTS);
    hy_push_optional_weights(lowering, AUXILIARY, AUXILIARY_WEIGHTS, 3);
    hy_push_optional_weights(lowering, AUXILIARY_WEIGHTS, AUXILIARY_WEIGHTS_END, 2);
    hy_push_cell_activation(lowering, attributes->activation);
    hy_push_bool(lowering, attributes->time_major);
    hy_push_bool(lowering, attributes->merge_outputs);

    outputs[count++] = hy_output_operand(lowering, 0);
    if (!attributes->merge_outputs)
        outputs[count++] = hy_output_operand(lowering, 1);
    hy_state_outputs(lowering, count, 2, states, outputs + count);
    hy_emit_to_list(lowering, ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN, outputs, count + 2);
}
