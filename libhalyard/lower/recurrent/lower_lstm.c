#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include <string.h>

/* ---- Recurrent weights that are diagonals ---------------------------------------------------- */

#define MAX_DIAGONAL_UNITS 4096u /* the file has the square root of the bytes alone */

/* The square matrix around a constant diagonal of float32. */
static uint32_t diagonal_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const bool fits = tensor->element == HY_ELEMENT_FLOAT32 && tensor->data && !tensor->sparsity &&
                      tensor->rank == 1 && (uint32_t)tensor->extents[0] <= MAX_DIAGONAL_UNITS;

    hy_expect(lowering, fits, "the type or size of a diagonal of recurrent weights");
    if (lowering->code != HY_OK)
        return 0;
    const uint32_t units = (uint32_t)tensor->extents[0];
    const size_t bytes = (size_t)units * units * sizeof(float);
    float *matrix = hy_scratch_memory(lowering, bytes, 1);
    if (!matrix)
        return 0;
    memset(matrix, 0, bytes);
    for (size_t i = 0; i < units; i++)
        memcpy(&matrix[i * units + i], (const char *)tensor->data + i * sizeof *matrix,
               sizeof *matrix);
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                             .dimensionCount = 2,
                                             .dimensions = (const uint32_t[]){units, units}};
    return hy_constant_operand(lowering, &type, matrix, bytes);
}

static void push_recurrent(struct hy_lowering *lowering, uint32_t first)
{
    for (uint32_t i = first; i < first + HY_GATES; i++) {
        if (lowering->node->attributes.lstm.diagonal_recurrent && hy_has_input(lowering, i))
            hy_push(lowering, diagonal_operand(lowering, i));
        else
            hy_push_optional_weights(lowering, i, i + 1, 2);
    }
}

static const uint32_t states[] = {HY_LSTM_STATES, HY_LSTM_STATES + 1}; /* output, cell */

/* ---- Cells of float32 ------------------------------------------------------------------------ */

/* The weights of a cell, whose first operand is input `first`. */
static void push_cell(struct hy_lowering *lowering, uint32_t first)
{
    hy_push_optional_weights(lowering, first + HY_CELL_WEIGHTS, first + HY_CELL_RECURRENT, 2);
    push_recurrent(lowering, first + HY_CELL_RECURRENT);
    hy_push_optional_weights(lowering, first + HY_CELL_PEEPHOLES, first + HY_CELL_PROJECTION, 1);
    hy_push_optional_weights(lowering, first + HY_CELL_PROJECTION, first + HY_CELL_PROJECTION + 1,
                             2);
    hy_push_optional_weights(lowering, first + HY_CELL_PROJECTION_BIAS, first + HY_CELL_OPERANDS,
                             1);
}

static void push_clips(struct hy_lowering *lowering)
{
    hy_push_cell_activation(lowering, lowering->node->attributes.lstm.activation);
    hy_push_float(lowering, lowering->node->attributes.lstm.cell_clip);
    hy_push_float(lowering, lowering->node->attributes.lstm.projection_clip);
}

static void push_layer_norm(struct hy_lowering *lowering)
{
    hy_push_optional_weights(lowering, HY_LSTM_LAYER_NORM, HY_LSTM_LAYER_NORM + HY_GATES, 1);
}

static void expect_input(struct hy_lowering *lowering, uint32_t rank)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    hy_expect(lowering, input->element == HY_ELEMENT_FLOAT32, "the type of the input");
    hy_expect(lowering, input->rank == rank, "the rank of the input");
}

/* The operation's first output: memory of the API's first days, with one row per batch. */
static uint32_t scratch_operand(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *weights = hy_input(lowering, HY_LSTM_CELL + HY_GATES - 1);
    const uint32_t gates = hy_has_input(lowering, HY_LSTM_CELL) ? HY_GATES : HY_GATES - 1;
    const uint32_t extents[2] = {(uint32_t)input->extents[0],
                                 gates * (uint32_t)weights->extents[0]};

    hy_expect(lowering, weights->rank == 2, "the rank of the weights");
    return hy_temporary_operand_of(lowering, input, 2, extents);
}

static void lower_float_lstm(struct hy_lowering *lowering)
{
    expect_input(lowering, 2);
    hy_push_input(lowering, 0);
    push_cell(lowering, HY_LSTM_CELL);
    hy_push_input(lowering, HY_LSTM_STATES);
    hy_push_input(lowering, HY_LSTM_STATES + 1);
    push_clips(lowering);
    if (hy_has_input(lowering, HY_LSTM_LAYER_NORM + HY_GATES - 1))
        push_layer_norm(lowering);
    uint32_t outputs[4] = {scratch_operand(lowering)};
    hy_state_outputs(lowering, 1, 2, states, outputs + 1);
    outputs[3] = hy_output_operand(lowering, 0);
    hy_emit_to_list(lowering, ANEURALNETWORKS_LSTM, outputs, 4);
}

void hy_lower_lstm(struct hy_lowering *lowering)
{
    const enum hy_element element = hy_input(lowering, 0)->element;

    if (lowering->node->attributes.lstm.is_basic && element == HY_ELEMENT_UINT8)
        hy_lower_quantized_basic_lstm(lowering);
    else if (lowering->node->attributes.lstm.is_basic)
        hy_lower_basic_lstm(lowering);
    else if (element == HY_ELEMENT_INT8 || element == HY_ELEMENT_INT16)
        hy_lower_quantized_lstm(lowering);
    else
        lower_float_lstm(lowering);
}

/* ---- Sequences ------------------------------------------------------------------------------- */

void hy_lower_unidirectional_sequence_lstm(struct hy_lowering *lowering)
{
    const enum hy_element element = hy_input(lowering, 0)->element;

    if (element == HY_ELEMENT_INT8 || element == HY_ELEMENT_INT16) {
        hy_lower_quantized_lstm(lowering);
        return;
    }
    expect_input(lowering, 3);
    hy_push_input(lowering, 0);
    push_cell(lowering, HY_LSTM_CELL);
    hy_push_input(lowering, HY_LSTM_STATES);
    hy_push_input(lowering, HY_LSTM_STATES + 1);
    push_clips(lowering);
    hy_push_bool(lowering, lowering->node->attributes.lstm.time_major);
    push_layer_norm(lowering);
    uint32_t outputs[3] = {hy_output_operand(lowering, 0)};
    hy_state_outputs(lowering, 1, 2, states, outputs + 1);
    hy_emit_to_list(lowering, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, outputs, 3);
}

/* Inputs of BIDIRECTIONAL_SEQUENCE_LSTM after its two cells. */
enum {
    AUXILIARY = 39, /* the input of another layer */
    AUXILIARY_WEIGHTS = 40,
    AUXILIARY_WEIGHTS_END = 48,
    BOTH_WAYS_STATES = 4,
    BOTH_WAYS_LAYER_NORMS = 8, /* which NNAPI has and the graph's operator has not */
};

void hy_lower_bidirectional_sequence_lstm(struct hy_lowering *lowering)
{
    static const uint32_t both_states[BOTH_WAYS_STATES] = {35, 36, 37, 38};
    const struct hy_attributes_lstm *attributes = &lowering->node->attributes.lstm;
    uint32_t outputs[2 + BOTH_WAYS_STATES], count = 0;

    expect_input(lowering, 3);
    hy_push_input(lowering, 0);
    push_cell(lowering, HY_LSTM_CELL);
    push_cell(lowering, HY_LSTM_BACKWARD_CELL);
    for (uint32_t i = 0; i < BOTH_WAYS_STATES; i++)
        hy_push_input(lowering, both_states[i]); /* output and cell, forward and backward */
    hy_push_optional_weights(lowering, AUXILIARY, AUXILIARY_WEIGHTS, 3);
    hy_push_optional_weights(lowering, AUXILIARY_WEIGHTS, AUXILIARY_WEIGHTS_END, 2);
    push_clips(lowering);
    hy_push_bool(lowering, attributes->merge_outputs);
    hy_push_bool(lowering, attributes->time_major);
    for (uint32_t i = 0; i < BOTH_WAYS_LAYER_NORMS; i++)
        hy_push(lowering, hy_left_out_operand(lowering, 1));

    outputs[count++] = hy_output_operand(lowering, 0);
    if (!attributes->merge_outputs)
        outputs[count++] = hy_output_operand(lowering, 1);
    hy_state_outputs(lowering, count, BOTH_WAYS_STATES, both_states, outputs + count);
    hy_emit_to_list(lowering, ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, outputs,
                    count + BOTH_WAYS_STATES);
}
