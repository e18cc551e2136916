#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include <string.h>

/* Inputs of a basic LSTM, whose gates have one matrix of weights, [4 * units, inputs + units], and
 * one vector of biases, [4 * units]. The outputs are output, cell state, and two intermediate
 * values. */
enum { PREVIOUS_OUTPUT = 1, WEIGHTS = 2, BIASES = 3, PREVIOUS_STATE = 4 };

/* ---- Parts of the one matrix ----------------------------------------------------------------- */

static bool has_extents(const struct hy_graph_tensor *tensor, uint32_t rank, uint32_t first,
                        uint32_t second)
{
    return tensor->rank == rank && tensor->extents[0] == (int32_t)first &&
           (rank == 1 || tensor->extents[1] == (int32_t)second);
}

struct basic_lstm {
    uint32_t batch, inputs, units;
};

/* False, after a failure, where the shapes do not fit each other. */
static bool read_shapes(struct hy_lowering *lowering, struct basic_lstm *lstm)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *previous = hy_input(lowering, PREVIOUS_OUTPUT);
    const struct hy_graph_tensor *weights = hy_input(lowering, WEIGHTS);
    const struct hy_graph_tensor *biases = hy_input(lowering, BIASES);

    hy_expect(lowering, input->rank == 2 && previous->rank == 2, "the rank of the input");
    hy_expect(lowering, weights->data && !weights->sparsity && biases->data && !biases->sparsity,
              "a basic LSTM with computed weights");
    if (lowering->code != HY_OK)
        return false;
    *lstm = (struct basic_lstm){(uint32_t)input->extents[0], (uint32_t)input->extents[1],
                                (uint32_t)previous->extents[1]};
    hy_expect(lowering,
              lstm->units < INT32_MAX / HY_GATES && lstm->inputs < INT32_MAX / 2 &&
                  has_extents(weights, 2, HY_GATES * lstm->units, lstm->inputs + lstm->units) &&
                  has_extents(biases, 1, HY_GATES * lstm->units, 0),
              "the combination of shapes of a basic LSTM");
    return lowering->code == HY_OK;
}

/* First row of a gate in the file's order: input, cell, forget, output. */
static uint32_t first_row(const struct basic_lstm *lstm, uint32_t gate)
{
    static const uint32_t gate_order[HY_GATES] = {0, 2, 1, 3};
    return gate_order[gate] * lstm->units;
}

/* Rows `row` to `row` + units - 1 of a constant, cut to some of its columns. */
static uint32_t part_operand(struct hy_lowering *lowering, uint32_t input,
                             const struct basic_lstm *lstm, uint32_t row, uint32_t column,
                             uint32_t columns)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const size_t size = hy_element_bits(tensor->element) / 8;
    const size_t stride = size * (tensor->rank == 2 ? (size_t)tensor->extents[1] : 1);
    const size_t bytes = size * lstm->units * columns;
    char *part = hy_scratch_memory(lowering, bytes, sizeof *part);

    if (!part)
        return 0;
    for (size_t i = 0; i < lstm->units; i++)
        memcpy(part + i * size * columns,
               (const char *)tensor->data + (row + i) * stride + column * size, size * columns);
    return hy_constant_operand_like(lowering, tensor, tensor->rank,
                                    (const uint32_t[]){lstm->units, columns}, part, bytes);
}

/* ---- float32 --------------------------------------------------------------------------------- */

enum { LEFT_OUT_PEEPHOLES = 3 };

static void expect_float(struct hy_lowering *lowering)
{
    const struct hy_attributes_lstm *attributes = &lowering->node->attributes.lstm;

    for (uint32_t i = 0; i <= PREVIOUS_STATE; i++)
        hy_expect(lowering, hy_input(lowering, i)->element == HY_ELEMENT_FLOAT32,
                  "the type of a basic LSTM");
    hy_expect(lowering, attributes->activation == HY_ACTIVATION_TANH, "the activation of a cell");
}

static void push_gates(struct hy_lowering *lowering, const struct basic_lstm *lstm, uint32_t column,
                       uint32_t columns)
{
    for (uint32_t gate = 0; gate < HY_GATES; gate++)
        hy_push(lowering,
                part_operand(lowering, WEIGHTS, lstm, first_row(lstm, gate), column, columns));
}

static void push_biases(struct hy_lowering *lowering, const struct basic_lstm *lstm)
{
    for (uint32_t gate = 0; gate < HY_GATES; gate++)
        hy_push(lowering, part_operand(lowering, BIASES, lstm, first_row(lstm, gate), 0, 1));
}

/* An LSTM without peepholes and projection. */
void hy_lower_basic_lstm(struct hy_lowering *lowering)
{
    const struct hy_attributes_lstm *attributes = &lowering->node->attributes.lstm;
    struct basic_lstm lstm;

    expect_float(lowering);
    if (!read_shapes(lowering, &lstm))
        return;
    hy_push_input(lowering, 0);
    push_gates(lowering, &lstm, 0, lstm.inputs);
    push_gates(lowering, &lstm, lstm.inputs, lstm.units);
    for (uint32_t i = 0; i < LEFT_OUT_PEEPHOLES; i++)
        hy_push(lowering, hy_left_out_operand(lowering, 1));
    push_biases(lowering, &lstm);
    hy_push(lowering, hy_left_out_operand(lowering, 2)); /* projection */
    hy_push(lowering, hy_left_out_operand(lowering, 1)); /* its bias */
    hy_push_input(lowering, PREVIOUS_OUTPUT);
    hy_push_input(lowering, PREVIOUS_STATE);
    hy_push_cell_activation(lowering, attributes->activation);
    hy_push_float(lowering, attributes->cell_clip);
    hy_push_float(lowering, attributes->projection_clip);

    const uint32_t gates[2] = {lstm.batch, HY_GATES * lstm.units};
    const uint32_t outputs[] = {
        hy_temporary_operand_of(lowering, hy_input(lowering, 0), 2, gates), /* scratch */
        hy_temporary_operand(lowering, hy_output(lowering, 0)),
        hy_output_operand(lowering, 1),
        hy_output_operand(lowering, 0),
    };
    hy_emit_to_list(lowering, ANEURALNETWORKS_LSTM, outputs, 4);
}

/* ---- uint8, with a cell state of int16 ------------------------------------------------------- */

/* QUANTIZED_16BIT_LSTM is defined on rows of recurrent weights before input weights, and on columns
 * of the input before the previous output. So the first columns of the file's rows, as many as
 * there are units, are recurrent weights to the operation. */
void hy_lower_quantized_basic_lstm(struct hy_lowering *lowering)
{
    struct basic_lstm lstm;

    hy_expect(lowering,
              hy_input(lowering, WEIGHTS)->element == HY_ELEMENT_UINT8 &&
                  hy_input(lowering, BIASES)->element == HY_ELEMENT_INT32,
              "the type of a basic LSTM");
    if (!read_shapes(lowering, &lstm))
        return;
    hy_push_input(lowering, 0);
    push_gates(lowering, &lstm, lstm.units, lstm.inputs);
    push_gates(lowering, &lstm, 0, lstm.units);
    push_biases(lowering, &lstm);
    hy_push_input(lowering, PREVIOUS_STATE);
    hy_push_input(lowering, PREVIOUS_OUTPUT);
    const uint32_t outputs[] = {hy_output_operand(lowering, 1), hy_output_operand(lowering, 0)};
    hy_emit_to_list(lowering, ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, outputs, 2);
}
